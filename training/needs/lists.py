"""Needs about lists, tables and JSON objects."""

# fmt: off
import json
import math
from itertools import pairwise

from training.needs.need import (
    Collection,
    amount,
    name,
    pick,
    record,
    rows_of,
    several,
    table,
    whole,
    word,
)

LISTS = Collection("lists")
TABLES = Collection("tables")
OBJECTS = Collection("json")
add = LISTS.add
_numbers = several(whole(-20, 200), 5, 9)
_distinct = several(whole(1, 200), 5, 9, distinct=True)
add("evens", {"xs": _numbers}, lambda xs: [x for x in xs if x % 2 == 0],
    "Which of the numbers {xs} are even? As a list", "Keep the even numbers of {xs!r}", "Filter out the odd numbers from {xs}")
add("above", {"xs": _numbers, "n": whole(20, 120)}, lambda xs, n: [x for x in xs if x > n],
    "Which of {xs} are greater than {n}? As a list", "Keep only what is above {n} in {xs!r}", "List the values of {xs} that exceed {n}")
add("count_below", {"xs": _numbers, "n": whole(40, 140)}, lambda xs, n: sum(x < n for x in xs),
    "How many of {xs} are below {n}?", "Count the numbers smaller than {n} in {xs!r}", "In {xs}, how many values are less than {n}?")
add("sort_down", {"xs": _numbers}, lambda xs: sorted(xs, reverse=True),
    "Sort {xs} from high to low", "Put {xs!r} in descending order", "Order these numbers, the largest first: {xs}")
add("sort_abs", {"xs": several(whole(-99, 99), 4, 8, distinct=True)}, lambda xs: sorted(xs, key=abs),
    "Sort {xs} by absolute value, smallest first", "Order {xs!r} by their distance from zero", "Arrange {xs} by size without regard to the sign")
add("third_smallest", {"xs": _distinct}, lambda xs: sorted(xs)[2],
    "What is the third smallest number in {xs}?", "Of {xs!r}, which value is third from the bottom?", "Third lowest of {xs}?")
add("max_minus_min", {"xs": _numbers}, lambda xs: max(xs) - min(xs),
    "What is the difference between the largest and the smallest of {xs}?", "Range (max minus min) of {xs!r}?", "How far apart are the highest and the lowest of {xs}?")
add("place_of_max", {"xs": _distinct}, lambda xs: xs.index(max(xs)) + 1,
    "At which place (counting from 1) is the largest number in {xs}?", "Position of the maximum of {xs!r}, first position is 1", "In {xs}, the biggest number stands where, counted from 1?")
add("unique", {"xs": several(whole(1, 9), 6, 10)}, lambda xs: list(dict.fromkeys(xs)),
    "Remove duplicates from {xs} and keep the first of each", "List {xs!r} without repeats, in the original order", "Every number once, in order of appearance: {xs}")
add("repeated", {"xs": several(whole(1, 9), 7, 10)}, lambda xs: sorted({x for x in xs if xs.count(x) > 1}),
    "Which numbers occur more than once in {xs}? Sorted list", "Find the duplicates in {xs!r}, each once, in ascending order", "List in ascending order what appears at least twice in {xs}")
add("common", {"xs": several(whole(1, 20), 6, 9, distinct=True), "ys": several(whole(1, 20), 6, 9, distinct=True)}, lambda xs, ys: sorted(set(xs) & set(ys)),
    "Which numbers are in both {xs!r} and {ys!r}? Sorted", "Common elements of {xs!r} and {ys!r}, in ascending order", "First list {xs}; second list {ys}. What do they share, sorted?")
add("only_first", {"xs": several(whole(1, 20), 6, 9, distinct=True), "ys": several(whole(1, 20), 6, 9, distinct=True)}, lambda xs, ys: [x for x in xs if x not in ys],
    "Which numbers of {xs!r} are not in {ys!r}? Keep the order", "Remove from {xs!r} everything that is in {ys!r}", "I invited {xs!r}; {ys!r} have answered. Who of the first list is missing, in order?")
add("merge_sorted", {"xs": several(whole(1, 60), 3, 5), "ys": several(whole(1, 60), 3, 5)}, lambda xs, ys: sorted(xs + ys),
    "Put {xs!r} and {ys!r} together in one sorted list", "Merge the lists {xs!r} and {ys!r}, ascending", "One ascending list of everything in {xs} and in {ys}, please")
add("chunks", {"xs": several(whole(1, 60), 6, 10), "n": whole(2, 4)}, lambda xs, n: [list(xs[i : i + n]) for i in range(0, len(xs), n)],
    "Split {xs!r} into groups of {n} (the last may be smaller)", "Cut {xs} into lists of {n}, in order; the rest makes the last one", "Make batches of {n} from {xs!r}")
add("every_nth", {"xs": several(whole(1, 90), 8, 12), "n": whole(2, 4)}, lambda xs, n: list(xs[n - 1 :: n]),
    "Take every {n}. element of {xs!r}, starting with element {n}", "From {xs} keep the elements at places {n}, 2 times {n}, 3 times {n} and so on (counting from 1)", "Pick each element whose place (from 1) is a multiple of {n}: {xs!r}")
add("rotate", {"xs": several(whole(1, 60), 5, 8), "n": whole(1, 4)}, lambda xs, n: list(xs[n:] + xs[:n]),
    "Move the first {n} elements of {xs!r} to the end", "Rotate {xs!r} to the left by {n}", "Take {n} elements from the front of {xs} and append them at the back")
add("differences", {"xs": several(whole(1, 200), 4, 7)}, lambda xs: [b - a for a, b in pairwise(xs)],
    "What are the differences from each number of {xs} to the next?", "For {xs!r} list next minus current", "My meter showed {xs}. How much came on each time? Give the differences as a list")
add("products", {"xs": several(whole(1, 20), 3, 6), "n": whole(2, 9)}, lambda xs, n: [x * n for x in xs],
    "Multiply each of {xs} by {n}", "Give me {xs!r} with every number times {n}", "Scale the list {xs!r} by the factor {n}")
add("pair_sum", {"xs": several(whole(1, 30), 3, 6), "ys": several(whole(1, 30), 3, 3)}, lambda xs, ys: sum(xs) - sum(ys),
    "How much larger is the sum of {xs!r} than the sum of {ys!r}?", "Sum of {xs} minus sum of {ys}?", "Income {xs!r}, expenses {ys!r}: what is left?")
add("sum_squares", {"xs": several(whole(1, 30), 3, 6)}, lambda xs: sum(x * x for x in xs),
    "What is the sum of the squares of {xs}?", "Square each of {xs!r} and add them up", "Sum of x times x over {xs}?")
add("product", {"xs": several(whole(2, 15), 3, 6)}, lambda xs: math.prod(xs),
    "Multiply {xs} together", "What is the product of {xs!r}?", "Product of all of {xs}?")
add("longest_rise", {"xs": several(whole(1, 30), 6, 10)}, lambda xs: max(_rises(xs)),
    "How long is the longest stretch in {xs} in which each number is larger than the one before?", "Length of the longest strictly increasing run of neighbours in {xs!r}?", "Temperatures {xs}: for how many readings in a row did they rise at most (the first reading of a rise counts)?")
add("alternate", {"xs": several(word(), 4, 7, distinct=True)}, lambda xs: {x: len(x) for x in xs},
    "Give me each word of {xs} with its number of letters, as an object", "Map the words {xs!r} to their lengths", "For {xs}: a dictionary from word to length")
add("flatten", {"a": several(whole(1, 9), 1, 3), "b": several(whole(1, 9), 2, 4), "c": several(whole(1, 9), 1, 3)}, lambda a, b, c: [*a, *b, *c],
    "Make one flat list of [{a!r}, {b!r}, {c!r}]", "Flatten [{a!r}, {b!r}, {c!r}]", "Put the inner lists of [{a!r}, {b!r}, {c!r}] one after the other in a single list")


def _rises(xs: list[int]) -> list[int]:
    lengths = [1]
    for before, after in pairwise(xs):
        lengths.append(lengths[-1] + 1 if after > before else 1)
    return lengths


add = TABLES.add
_sales = table("item,price,count", word(), amount(1, 40), whole(1, 30))
_people = table("name,age,city", name(), whole(18, 80), pick("Lyon", "Oslo", "Porto", "Graz"))
add("table_total", {"t": _sales}, lambda t: round(sum(float(r["price"]) * int(r["count"]) for r in rows_of(t)), 2),
    "{t}\nWhat is the total of price times count?", "Here are our sales:\n{t}\nHow much money is that together (price times count)?", "Sum price * count over these rows:\n{t}")
add("table_sum", {"t": _sales}, lambda t: sum(int(r["count"]) for r in rows_of(t)),
    "{t}\nWhat is the sum of the column count?", "Add up the counts:\n{t}", "How many pieces are in this table altogether (column count)?\n{t}")
add("table_cheapest", {"t": _sales}, lambda t: min(rows_of(t), key=lambda r: float(r["price"]))["item"],
    "{t}\nWhich item is the cheapest?", "Name the item with the lowest price:\n{t}", "Which row has the smallest price? Give the item.\n{t}")
add("table_mean", {"t": _people}, lambda t: round(sum(int(r["age"]) for r in rows_of(t)) / len(rows_of(t)), 1),
    "{t}\nWhat is the mean age, to one decimal?", "Average age of these people (one decimal):\n{t}", "Mean of the column age, rounded to one decimal?\n{t}")
add("table_where", {"t": _people, "city": pick("Lyon", "Oslo", "Porto", "Graz")}, lambda t, city: [r["name"] for r in rows_of(t) if r["city"] == city],
    "{t}\nWho lives in {city}? A list of names", "List the names with city {city}, in order:\n{t}", "Which people in this table are from {city}? As a list\n{t}")
add("table_count", {"t": _people}, lambda t: {c: sum(r["city"] == c for r in rows_of(t)) for c in dict.fromkeys(r["city"] for r in rows_of(t))},
    "{t}\nHow many people are there for each city? As an object", "Count the rows by city:\n{t}", "Number of people per city as a dictionary:\n{t}")
add("table_older", {"t": _people, "n": whole(30, 60)}, lambda t, n: sum(int(r["age"]) > n for r in rows_of(t)),
    "{t}\nHow many people are older than {n}?", "Count the rows with age above {n}:\n{t}", "How many in this table have an age greater than {n}?\n{t}")
add("table_sorted", {"t": _people}, lambda t: [r["name"] for r in sorted(rows_of(t), key=lambda r: int(r["age"]))],
    "{t}\nList the names by age, youngest first", "Sort the people by age, ascending, and give the names:\n{t}", "Names in order of age (lowest age first):\n{t}")
add = OBJECTS.add
_stock = record(word(), whole(1, 90), 3, 6)


class _Shown(dict):  # type: ignore[type-arg]
    def __str__(self) -> str:
        return json.dumps(self)

    __repr__ = __str__
    __format__ = lambda self, _form: json.dumps(self)  # noqa: E731


def _object(make):  # type: ignore[no-untyped-def]
    return lambda chance: _Shown(make(chance))


add("object_sum", {"o": _object(_stock)}, lambda o: sum(o.values()),
    "What is the sum of the values in {o}?", "Add up all numbers of the JSON object {o}", "Our stock is {o}. How many pieces is that altogether?")
add("object_max", {"o": _object(_stock)}, lambda o: max(o, key=o.get),
    "Which key has the largest value in {o}?", "Of {o}, what do we have most of?", "Name with the highest number in {o}?")
add("object_keys", {"o": _object(_stock)}, lambda o: sorted(o),
    "List the keys of {o} alphabetically", "Which keys does {o} have? Sorted", "Sorted names in the object {o}")
add("object_filter", {"o": _object(_stock), "n": whole(20, 60)}, lambda o, n: {k: v for k, v in o.items() if v >= n},
    "Keep the entries of {o} with a value of at least {n}", "Filter {o}: only values from {n} upwards, as an object", "Which entries of {o} have {n} or more? Give them as a JSON object")
add("object_swap", {"o": _object(record(word(), name(), 2, 4))}, lambda o: {v: k for k, v in o.items()},
    "Swap keys and values of {o} (the last wins if values repeat)", "Turn {o} around: values become keys, the last one wins on repeats", "Invert the mapping {o}; on equal values keep the last key")
add("object_lookup", {"rows": lambda chance: json.dumps([{"id": i, "name": n, "score": chance.randint(1, 99)} for i, n in enumerate(several(name(), 3, 5, distinct=True)(chance), 1)])},
    lambda rows: min(json.loads(rows), key=lambda r: r["score"])["name"],
    "Who has the lowest score in {rows}?", "Name of the entry with the smallest score: {rows}", "Which name has the fewest points (score)? {rows}")
add("object_mean", {"rows": lambda chance: json.dumps([{"day": d, "rain": chance.randint(0, 40)} for d in ("Mon", "Tue", "Wed", "Thu")][: chance.randint(3, 4)])},
    lambda rows: round(sum(r["rain"] for r in json.loads(rows)) / len(json.loads(rows)), 2),
    "What is the mean of rain in {rows}, to two decimals?", "Average rain over these rows (2 decimals): {rows}", "Mean value of the field rain: {rows}; two decimals")
add("object_merge", {"a": _object(_stock), "b": _object(_stock)}, lambda a, b: {k: a.get(k, 0) + b.get(k, 0) for k in {**a, **b}},
    "Add the stocks {a} and {b} key by key", "Merge {a} and {b}; where a key is in both, add the numbers", "Two shops have {a} and {b}. What do they have together, per item, as an object?")
add("deep_value", {"city": word(), "zip": whole(1000, 9999), "n": name()}, lambda city, zip, n: zip,
    'What is the zip of the address in {{"name": "{n}", "address": {{"city": "{city}", "zip": {zip}}}}}?', 'Read address.zip from {{"address": {{"zip": {zip}, "city": "{city}"}}, "name": "{n}"}}', 'Given {{"user": "{n}", "address": {{"street": "{city}", "zip": {zip}}}}}, what is the zip code?')
