"""Labels of decisions, from what people say and do: was the tool right, was the answer?"""
