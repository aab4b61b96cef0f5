"""Needs about text."""

# fmt: off
import re
from collections import Counter

from training.needs.need import Collection, name, phrase, pick, several, whole, word

TEXT = Collection("text")
add = TEXT.add


def _caesar(text: str, shift: int) -> str:
    return "".join(chr((ord(c) - 97 + shift) % 26 + 97) if c.isalpha() else c for c in text)


def _runs(text: str) -> str:
    return "".join(f"{m[0][0]}{len(m[0])}" for m in re.finditer(r"(.)\1*", text))


add("reverse_words", {"text": phrase()}, lambda text: " ".join(text.split()[::-1]),
    "Put the words of '{text}' in the opposite order", "Reverse the order of the words: '{text}'", "Write '{text}' with the last word first and so on.")
add("reverse_each", {"text": phrase(2, 4)}, lambda text: " ".join(w[::-1] for w in text.split()),
    "Reverse every word of '{text}' but keep the order of the words", "Spell each word backwards, in place: '{text}'", "In '{text}' turn each word around by itself.")
add("upper", {"text": phrase(2, 4)}, lambda text: text.upper(),
    "Write '{text}' in capital letters", "Make '{text}' all upper case", "Shout this: turn '{text}' into capitals only")
add("camel", {"text": phrase(2, 4)}, lambda text: text.split()[0] + "".join(w.title() for w in text.split()[1:]),
    "Turn '{text}' into camelCase", "Write '{text}' as one word in camel case, first word small", "camelCase for '{text}', please")
add("kebab", {"text": phrase(2, 4)}, lambda text: text.replace(" ", "-"),
    "Turn '{text}' into kebab-case", "Make a URL slug from '{text}' with hyphens", "Join the words of '{text}' with hyphens")
add("consonants", {"text": phrase(1, 3)}, lambda text: sum(c.isalpha() and c not in "aeiou" for c in text),
    "How many consonants are in '{text}'?", "Count the consonants of \"{text}\"", "Number of letters that are not a, e, i, o, u in '{text}' (spaces do not count)?")
add("letters_only", {"text": phrase(2, 5)}, lambda text: sum(c != " " for c in text),
    "How many letters are in '{text}', without the spaces?", "Count the characters of \"{text}\" that are not spaces", "Length of '{text}' if spaces do not count?")
add("count_letter", {"text": phrase(2, 5), "letter": pick("a", "e", "i", "n", "r", "t")}, lambda text, letter: text.count(letter),
    "How often does '{letter}' occur in '{text}'?", "Count the letter {letter} in \"{text}\"", "Number of times {letter} is in '{text}'?")
add("most_common_letter", {"text": phrase(2, 4)}, lambda text: sorted(Counter(text.replace(" ", "")).items(), key=lambda p: (-p[1], p[0]))[0][0],
    "Which letter occurs most often in '{text}'? If several do, the first in the alphabet.", "Most frequent letter of \"{text}\" (ties: alphabetical order)?", "Find the commonest letter in '{text}', the alphabetically first on a tie.")
add("word_count", {"text": phrase(3, 9)}, lambda text: len(text.split()),
    "How many words has the text '{text}'?", "Count the words: \"{text}\"", "Number of words in '{text}'?")
add("mean_word_length", {"text": phrase(3, 7)}, lambda text: round(sum(map(len, text.split())) / len(text.split()), 2),
    "What is the mean length of the words in '{text}', to two decimals?", "Average number of letters per word in \"{text}\" (2 decimals)?", "How long are the words of '{text}' on average, rounded to two decimals?")
add("shortest_word", {"text": phrase(4, 7)}, lambda text: min(text.split(), key=len),
    "Which is the shortest word in '{text}'? The first one if several are.", "Find the first of the shortest words in \"{text}\"", "Shortest word of '{text}' (the earliest if there are ties)?")
add("nth_word", {"text": phrase(5, 8), "n": whole(2, 5)}, lambda text, n: text.split()[n - 1],
    "What is word number {n} of '{text}'?", "Give me word {n} (counting from 1) of \"{text}\"", "In '{text}', which word stands at place {n}?")
add("sort_words", {"text": phrase(4, 7)}, lambda text: " ".join(sorted(text.split())),
    "Put the words of '{text}' in alphabetical order, separated by spaces", "Alphabetise the words of this line and keep it one line: '{text}'", "Order '{text}' alphabetically by word; answer as one text with spaces")
add("sort_letters", {"word": word()}, lambda word: "".join(sorted(word)),
    "Sort the letters of '{word}' alphabetically", "Write the letters of {word} in alphabetical order, as one text", "Order the letters in the word '{word}' from a to z")
add("palindrome", {"word": pick("level", "radar", "bottle", "kayak", "rotor", "window", "civic", "madam", "market", "noon", "river", "refer", "stats", "table")}, lambda word: word == word[::-1],
    "Is '{word}' a palindrome?", "Does '{word}' read the same backwards? Yes or no", "True or false: {word} is a palindrome")
add("anagram", {"a": pick("listen", "stone", "night", "angel", "earth", "cat"), "b": pick("silent", "notes", "thing", "glean", "heart", "dog")}, lambda a, b: sorted(a) == sorted(b),
    "Are '{a}' and '{b}' anagrams of each other?", "Do {a} and {b} have exactly the same letters? Yes or no", "Can you make '{b}' by rearranging '{a}'?")
add("caesar", {"text": phrase(1, 3), "shift": whole(1, 20)}, _caesar,
    "Shift every letter of '{text}' by {shift} places in the alphabet (z is followed by a)", "Encode \"{text}\" with a Caesar cipher, shift {shift}", "Caesar cipher: move the letters of '{text}' forward by {shift}, wrapping around.")
add("run_length", {"text": pick("aaabbc", "xxyyyyz", "mmmmnop", "aabbbccccd", "zzzzzy", "hhhiiijj", "kkl", "ppqqqrrrr")}, _runs,
    "Write '{text}' in run-length form, like a3b2c1", "Run-length encode '{text}' as letter and count, a count of 1 too", "Compress {text} by counting repeated letters, such as x2y4z1")
add("remove_letter", {"text": phrase(2, 4), "letter": pick("a", "e", "i", "o", "n", "t")}, lambda text, letter: text.replace(letter, ""),
    "Take every '{letter}' out of '{text}'", "Delete all letters {letter} from \"{text}\"", "Write '{text}' without the letter {letter}")
add("replace_word", {"text": phrase(4, 6), "new": name()}, lambda text, new: " ".join([new, *text.split()[1:]]),
    "Replace the first word of '{text}' with {new}", "In \"{text}\" put '{new}' in the place of the first word", "Swap the first word of '{text}' for {new} and give me the whole text")
add("digits_in", {"a": whole(2, 90), "w": word(), "b": whole(2, 90), "v": word()}, lambda a, w, b, v: [a, b],
    "Which numbers occur in 'we sold {a} {w} boxes and {b} {v} bags'? As a list", "Extract all numbers from the text \"{a} times {w}, then {b} times {v}\"", "List the numbers in 'order {a}: {w}, order {b}: {v}'")
add("pad_zeros", {"n": whole(1, 999), "width": whole(4, 8)}, lambda n, width: str(n).zfill(width),
    "Write {n} with leading zeros so that it has {width} digits, as text", "Pad the number {n} to {width} digits with zeros on the left", "Our invoice numbers have {width} digits: how is number {n} written?")
add("thousands", {"n": whole(12000, 987654321)}, lambda n: f"{n:,}",
    "Write {n} with commas between the thousands", "Format the number {n} with thousands separators (commas)", "How is {n} written with a comma after every three digits?")
add("truncate", {"text": phrase(5, 8), "n": whole(8, 20)}, lambda text, n: text[:n] + "...",
    "Cut '{text}' after {n} characters and add three dots", "Shorten \"{text}\" to its first {n} characters followed by ...", "Preview: the first {n} characters of '{text}' and then '...'")
add("file_ending", {"name": word(), "end": pick("pdf", "txt", "tar", "docx", "jpeg", "csv")}, lambda name, end: end,
    "What is the extension of the file '{name}.{end}', without the dot?", "Give the file type ending of {name}.{end}", "'/home/{name}/{name}.{end}': which extension does this file have (no dot)?")
add("binary_text", {"n": whole(5, 5000)}, lambda n: f"{n:b}",
    "Write {n} in binary", "What is {n} in base 2, without a prefix?", "Binary form of the number {n}?")
add("hex_text", {"n": whole(17, 90000)}, lambda n: f"{n:x}",
    "Write {n} in hexadecimal, small letters, no prefix", "What is {n} in base 16 (lower case, without 0x)?", "Hex form of {n}, lower case?")
add("from_binary", {"bits": lambda chance: f"{chance.randint(9, 4000):b}"}, lambda bits: int(bits, 2),
    "Which number is binary {bits}?", "Convert {bits} from base 2 to a decimal number", "What does the bit string '{bits}' mean as a decimal number?")
add("roman", {"n": whole(4, 3990)}, lambda n: _roman(n),
    "Write {n} as a Roman numeral", "What is {n} in Roman numerals?", "The clock tower says the year {n} in Roman numerals. How does it look?")
add("spell_spaces", {"word": word()}, lambda word: "-".join(word.upper()),
    "Spell '{word}' in capitals with a hyphen between the letters", "Write the letters of {word} in upper case, joined by hyphens", "Spell out {word} like A-B-C")
add("plural_count", {"words": several(word(), 4, 8)}, lambda words: len(set(words)),
    "How many different words are in {words}?", "Count the distinct words of {words!r}", "{words}: how many of these are different from each other?")
add("starts_with", {"words": several(word(), 5, 9, distinct=True), "letter": pick("b", "c", "m", "p", "s", "t")}, lambda words, letter: [w for w in words if w.startswith(letter)],
    "Which of these words begin with {letter}: {words}? As a list in the same order", "Keep only the words of {words!r} that start with '{letter}'", "List the words in {words} whose first letter is {letter}")
add("longer_than", {"words": several(word(), 5, 9, distinct=True), "n": whole(5, 7)}, lambda words, n: [w for w in words if len(w) >= n],
    "Which of the words {words} have at least {n} letters? As a list", "Filter {words!r}: keep those with {n} letters or more", "List the words with {n} or more letters, in order: {words}")


def _roman(n: int) -> str:
    found = ""
    for value, sign in zip((1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1), ["M", "CM", "D", "CD", "C", "XC", "L", "XL", "X", "IX", "V", "IV", "I"], strict=True):
        found, n = found + sign * (n // value), n % value
    return found
