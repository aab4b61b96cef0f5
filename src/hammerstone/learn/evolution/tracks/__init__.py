"""Ways to get better: what each is given, tries and hands back."""
