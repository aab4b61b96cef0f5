"""What each number of the policy for documents is, in words for the people who change them."""

DOCUMENT_FIELDS = {
    "max_file_bytes": "Larger files are not read.",
    "max_files": "How many documents one folder may hold.",
    "max_folder_bytes": "How large the documents of one folder may be together.",
    "max_text_chars": "Documents with more text than this are not read.",
    "read_seconds": "How long reading one PDF, Word or Excel file may take.",
    "read_memory_bytes": "How much memory reading one of them may take.",
    "chunk_tokens": "How long the pieces are that a document is cut into, in tokens.",
    "candidates": "How many pieces are compared sentence by sentence.",
    "meaning_weight": "How much a similar meaning counts.",
    "words_weight": "How much the same words count.",
    "passage_weight": "How much the words of the whole passage count beside those of a sentence.",
    "said_weight": "How much it counts which share of a question's words the passage says.",
    "pairs_weight": "How much it counts how many of them stand beside each other there, too.",
    "past_weight": "How much it counts that a piece answered a like question before.",
    "past_similarity": "How alike two questions have to be for that.",
    "past_questions": "How many earlier questions are remembered for that.",
    "excerpt_sentences": "How many sentences, with their neighbours, a model reads.",
    "excerpt_words": "How many words of documents a model reads for one answer.",
    "whole_words": "How many words of the nearest passage it reads once more.",
    "answer_from": "From this chance on that an answer is right, it is given.",
    "doubt_from": "From this chance on, the likeliest answer is shown as not certain.",
    "sure_from": "From this chance on, it is called sure.",
    "about_from": "From this chance on that a question is about your documents, it is "
    "told when they do not say it.",
    "quoted": "How many passages are shown beside an answer.",
}
