"""Needs about numbers: statistics, geometry, logic."""

# fmt: off
import math
import statistics
from collections import Counter

from training.needs.need import Collection, amount, pick, several, whole

STATISTICS = Collection("statistics")
GEOMETRY = Collection("geometry")
LOGIC = Collection("logic")
add = STATISTICS.add
_xs = several(whole(1, 99), 5, 9)
add("mean", {"xs": _xs}, lambda xs: round(statistics.mean(xs), 2), "What is the mean of {xs}, to two decimals?", "Average of {xs!r} (2 decimals)?", "My grades are {xs}. What is the average, rounded to two decimals?")
add("mode", {"xs": several(whole(1, 6), 7, 12)}, lambda xs: min(x for x, n in Counter(xs).items() if n == max(Counter(xs).values())), "Which number occurs most often in {xs}? The smallest one on a tie.", "Mode of {xs!r}, the smallest if there are several?", "Most frequent value of {xs} (ties: the lowest)?")
add("deviation", {"xs": _xs}, lambda xs: round(statistics.pstdev(xs), 2), "What is the population standard deviation of {xs}, to two decimals?", "Standard deviation of {xs!r} (divide by n), 2 decimals?", "Population standard deviation, rounded to two decimals: {xs}")
add("sample_deviation", {"xs": _xs}, lambda xs: round(statistics.stdev(xs), 2), "What is the sample standard deviation of {xs}, to two decimals?", "Standard deviation of the sample {xs!r} (divide by n - 1), 2 decimals?", "Sample standard deviation, rounded to two decimals: {xs}")
add("variance", {"xs": _xs}, lambda xs: round(statistics.pvariance(xs), 2), "What is the population variance of {xs}, to two decimals?", "Variance of {xs!r} (divide by n), 2 decimals?", "Population variance rounded to two decimals: {xs}")
add("weighted", {"xs": several(whole(1, 6), 3, 3), "ws": several(whole(1, 5), 3, 3)}, lambda xs, ws: round(sum(x * w for x, w in zip(xs, ws, strict=True)) / sum(ws), 2), "Grades {xs!r} with weights {ws!r}: weighted mean, to two decimals?", "What is the weighted average of {xs!r} if the weights are {ws!r} (2 decimals)?", "Exam marks {xs} count {ws} times. Mean mark, rounded to two decimals?")
add("trimmed", {"xs": several(whole(1, 99), 5, 9, distinct=True)}, lambda xs: round((sum(xs) - max(xs) - min(xs)) / (len(xs) - 2), 2), "What is the mean of {xs} without the highest and the lowest, to two decimals?", "Judges gave {xs!r}; best and worst are dropped. Average of the rest (2 decimals)?", "Leave out the largest and smallest of {xs}: mean of the others, two decimals?")
add("harmonic", {"a": whole(10, 90), "b": whole(10, 90)}, lambda a, b: round(2 * a * b / (a + b), 2), "I drive there at {a} km/h and back at {b} km/h. What is my average speed for the whole way, to two decimals?", "Harmonic mean of {a} and {b} (2 decimals)?", "Same distance at {a} and at {b} km/h: average speed overall, rounded to 2 decimals?")
add("z_score", {"x": whole(50, 140), "mean": whole(80, 110), "sd": whole(5, 20)}, lambda x, mean, sd: round((x - mean) / sd, 2), "What is the z-score of {x} with mean {mean} and standard deviation {sd}, to two decimals?", "A value of {x}, mean {mean}, standard deviation {sd}: z-score (2 decimals)?", "How many standard deviations ({sd}) is {x} from the mean {mean}? Signed, two decimals")
add("dice", {"n": whole(2, 12)}, lambda n: sum(a + b == n for a in range(1, 7) for b in range(1, 7)), "In how many ways can two dice show a sum of {n}?", "Two six-sided dice: how many of the 36 outcomes add up to {n}?", "Number of ordered throws of two dice with the sum {n}?")
add("choose", {"n": whole(5, 25), "k": whole(2, 5)}, lambda n, k: math.comb(n, k), "In how many ways can {k} of {n} people be chosen?", "How many groups of {k} can be made from {n} children?", "Number of combinations: {k} out of {n}?")
add("arrange", {"n": whole(3, 10)}, lambda n: math.factorial(n), "In how many orders can {n} books stand on a shelf?", "How many ways are there to line up {n} people?", "Number of permutations of {n} different things?")
add("handshakes", {"n": whole(4, 60)}, lambda n: n * (n - 1) // 2, "{n} people each shake hands once with every other. How many handshakes?", "Each of {n} teams plays each other once. How many games?", "{n} friends clink glasses, every pair once. How often does it clink?")
add = GEOMETRY.add
_side = amount(1, 30, 1)
add("circle_area", {"r": _side}, lambda r: round(math.pi * r * r, 2), "What is the area of a circle with radius {r}, to two decimals?", "Circle, radius {r}: area (2 decimals)?", "A round table has a radius of {r}. Its area, rounded to two decimals?")
add("circumference", {"d": _side}, lambda d: round(math.pi * d, 2), "What is the circumference of a circle with diameter {d}, to two decimals?", "A wheel has a diameter of {d}. How far does it roll in one turn (2 decimals)?", "Circle with diameter {d}: perimeter, two decimals?")
add("hypotenuse", {"a": _side, "b": _side}, lambda a, b: round(math.hypot(a, b), 2), "The legs of a right triangle are {a} and {b}. How long is the hypotenuse, to two decimals?", "Right angle, sides {a} and {b}: longest side (2 decimals)?", "What is the diagonal of a rectangle of {a} by {b}, rounded to two decimals?")
add("leg", {"c": amount(20, 40, 1), "a": amount(2, 19, 1)}, lambda c, a: round(math.sqrt(c * c - a * a), 2), "A ladder of {c} m stands {a} m from the wall. How high does it reach, to two decimals?", "Hypotenuse {c}, one leg {a}: the other leg (2 decimals)?", "In a right triangle the longest side is {c} and another {a}. Third side, rounded to 2 decimals?")
add("perimeter", {"a": _side, "b": _side}, lambda a, b: round(2 * (a + b), 2), "What is the perimeter of a rectangle of {a} by {b}?", "How much fence do I need around a garden of {a} m by {b} m?", "A field is {a} long and {b} wide. Length of its border?")
add("box_volume", {"a": _side, "b": _side, "c": _side}, lambda a, b, c: round(a * b * c, 2), "What is the volume of a box of {a} x {b} x {c}, to two decimals?", "A box is {a} long, {b} wide, {c} high. Volume (2 decimals)?", "How much space is in a crate of {a} by {b} by {c}, rounded to two decimals?")
add("box_surface", {"a": _side, "b": _side, "c": _side}, lambda a, b, c: round(2 * (a * b + b * c + a * c), 2), "What is the surface of a box of {a} x {b} x {c}, to two decimals?", "A parcel is {a} by {b} by {c}. How much paper covers all six sides (2 decimals)?", "Surface area of a cuboid with edges {a}, {b}, {c}; two decimals?")
add("cylinder", {"r": _side, "h": _side}, lambda r, h: round(math.pi * r * r * h, 2), "What is the volume of a cylinder with radius {r} and height {h}, to two decimals?", "A can has radius {r} and height {h}. Its volume (2 decimals)?", "Cylinder: r = {r}, h = {h}. Volume, rounded to two decimals?")
add("sphere", {"r": _side}, lambda r: round(4 / 3 * math.pi * r**3, 2), "What is the volume of a ball with radius {r}, to two decimals?", "Sphere, radius {r}: volume (2 decimals)?", "A ball has a radius of {r}. How much air is inside, rounded to 2 decimals?")
add("triangle_area", {"b": _side, "h": _side}, lambda b, h: round(b * h / 2, 2), "What is the area of a triangle with base {b} and height {h}?", "Triangle: base {b}, height {h}. Area (2 decimals)?", "A sail is a triangle with a base of {b} and a height of {h}. How large is it?")
add("trapezoid", {"a": _side, "b": _side, "h": _side}, lambda a, b, h: round((a + b) / 2 * h, 2), "A trapezoid has parallel sides {a} and {b} and height {h}. Its area, to two decimals?", "Area of a trapezium with sides {a} and {b} (parallel) and height {h}, 2 decimals?", "Parallel sides {a} and {b}, distance {h}: area of the trapezoid, two decimals?")
add("distance", {"x": whole(-20, 20), "y": whole(-20, 20), "u": whole(-20, 20), "v": whole(-20, 20)}, lambda x, y, u, v: round(math.hypot(u - x, v - y), 2), "What is the distance between ({x}, {y}) and ({u}, {v}), to two decimals?", "How far is the point ({x}, {y}) from ({u}, {v}) (2 decimals)?", "Straight-line distance from ({x}, {y}) to ({u}, {v}), rounded to two decimals?")
add("midpoint", {"x": whole(-20, 20), "y": whole(-20, 20), "u": whole(-20, 20), "v": whole(-20, 20)}, lambda x, y, u, v: [(x + u) / 2, (y + v) / 2], "What is the point in the middle between ({x}, {y}) and ({u}, {v})? As a list", "Midpoint of ({x}, {y}) and ({u}, {v}), as [x, y]", "Halfway from ({x}, {y}) to ({u}, {v}): which coordinates? A list of two numbers")
add("third_angle", {"a": whole(10, 80), "b": whole(10, 90)}, lambda a, b: 180 - a - b, "Two angles of a triangle are {a} and {b} degrees. How large is the third?", "Triangle with angles {a}° and {b}°: the missing angle?", "What is the third angle if the others are {a} and {b} degrees?")
add("polygon", {"n": whole(5, 20)}, lambda n: (n - 2) * 180, "What is the sum of the inner angles of a polygon with {n} corners, in degrees?", "A shape with {n} sides: sum of its interior angles?", "Interior angle sum of a {n}-gon in degrees?")
add("tiles", {"a": whole(200, 900, 10), "b": whole(200, 900, 10), "t": pick(20, 30, 40, 50)}, lambda a, b, t: math.ceil(a / t) * math.ceil(b / t), "A floor of {a} cm by {b} cm is laid with square tiles of {t} cm; cut tiles count as whole ones. How many tiles are needed, row by row?", "How many {t} cm tiles are needed for {a} x {b} cm, rounding up in each direction?", "Tiles of {t} by {t} cm on {a} by {b} cm, always rounding up per side: how many?")
add = LOGIC.add
add("prime", {"n": whole(11, 999, 2)}, lambda n: all(n % d for d in range(2, math.isqrt(n) + 1)), "Is {n} a prime number?", "Does {n} have no divisors except 1 and itself? Yes or no", "True or false: {n} is prime")
add("factors", {"n": whole(12, 900)}, lambda n: [d for d in range(1, n + 1) if n % d == 0], "List all divisors of {n}", "Which whole numbers divide {n} without remainder? As a list", "By what numbers can {n} be divided evenly? Ascending list")
add("prime_factors", {"n": whole(12, 2000)}, lambda n: _prime_factors(n), "What are the prime factors of {n}, with repeats? As an ascending list", "Factor {n} into primes (list, repeated primes repeated)", "Prime factorisation of {n} as a list from small to large")
add("lcm", {"a": whole(4, 60), "b": whole(4, 60)}, lambda a, b: math.lcm(a, b), "What is the least common multiple of {a} and {b}?", "One bus comes every {a} minutes, another every {b}. After how many minutes do they come together again?", "Smallest number that both {a} and {b} divide?")
add("gcd_list", {"xs": several(whole(12, 240, 12), 3, 5)}, lambda xs: math.gcd(*xs), "What is the greatest common divisor of {xs}?", "Largest number that divides all of {xs!r}?", "I cut ropes of {xs} cm into equal pieces without a rest. How long can a piece be at most?")
add("leap", {"year": whole(1890, 2110)}, lambda year: year % 4 == 0 and (year % 100 != 0 or year % 400 == 0), "Is {year} a leap year?", "Does February {year} have 29 days? Yes or no", "True or false: the year {year} is a leap year")
add("leap_count", {"a": whole(1890, 1990), "b": whole(1991, 2110)}, lambda a, b: sum(y % 4 == 0 and (y % 100 != 0 or y % 400 == 0) for y in range(a, b + 1)), "How many leap years are there from {a} to {b}, both included?", "Count the leap years between {a} and {b} inclusive", "From {a} up to and including {b}: number of leap years?")
add("digit_sum", {"n": whole(100, 9999999)}, lambda n: sum(map(int, str(n))), "What is the digit sum of {n}?", "Add up the digits of {n}", "Sum of all digits in the number {n}?")
add("digital_root", {"n": whole(100, 9999999)}, lambda n: 1 + (n - 1) % 9, "Add the digits of {n} again and again until one digit is left. Which?", "Digital root of {n}?", "Repeat the digit sum of {n} until it has a single digit. What is it?")
add("collatz", {"n": whole(3, 60)}, lambda n: _collatz(n), "Halve {n} if it is even, else triple it and add 1; repeat. After how many steps is it 1?", "How many Collatz steps does {n} need to reach 1?", "Collatz sequence from {n}: number of steps until 1?")
add("fibonacci", {"n": whole(5, 40)}, lambda n: _fibonacci(n), "What is Fibonacci number {n}, if the first two are 1 and 1?", "The sequence 1, 1, 2, 3, 5, ... : element number {n}?", "Fibonacci: F(1) = F(2) = 1. What is F({n})?")
add("remainder", {"a": whole(50, 9999), "b": whole(3, 60)}, lambda a, b: a % b, "What is the remainder of {a} divided by {b}?", "{a} mod {b}?", "{a} sweets are shared among {b} children. How many are left over?")
add("power_mod", {"a": whole(2, 40), "b": whole(10, 90), "m": whole(7, 99)}, lambda a, b, m: pow(a, b, m), "What is {a} to the power of {b} modulo {m}?", "Remainder of {a}^{b} divided by {m}?", "Compute {a}**{b} mod {m}")
add("arithmetic_sum", {"a": whole(1, 60), "b": whole(100, 900)}, lambda a, b: (a + b) * (b - a + 1) // 2, "What is the sum of all whole numbers from {a} to {b}?", "Add up {a} + {b} and everything between", "Sum of the integers {a} to {b} inclusive?")
add("multiples", {"n": whole(3, 12), "limit": whole(40, 400)}, lambda n, limit: limit // n, "How many multiples of {n} are there from 1 to {limit}?", "Count the numbers up to {limit} that {n} divides", "From 1 to {limit}, how many numbers are divisible by {n}?")
add("implies", {"p": pick(True, False), "q": pick(True, False), "r": pick(True, False)}, lambda p, q, r: (not (p and q)) or r, "p is {p}, q is {q}, r is {r}. Is 'if p and q then r' true?", "Evaluate (p and q) -> r for p={p}, q={q}, r={r}", "With p = {p}, q = {q} and r = {r}: does (p and q) imply r?")
add("majority", {"xs": several(pick("yes", "no"), 5, 9)}, lambda xs: xs.count("yes") > xs.count("no"), "The votes are {xs}. Are there more yes than no?", "Votes: {xs!r}. Did yes win (strictly more)?", "Is yes in the majority over no in {xs}?")
add("exactly_one", {"xs": several(pick(True, False), 3, 5)}, lambda xs: sum(xs) == 1, "Is exactly one of {xs} true?", "Check that {xs!r} has exactly one True", "Of the switches {xs}, is exactly one on (True)?")
add("between", {"x": whole(1, 100), "a": whole(10, 40), "b": whole(50, 90)}, lambda x, a, b: a <= x <= b, "Is {x} between {a} and {b}, the ends included?", "Does {x} lie in the range from {a} to {b}? Yes or no", "Allowed are values from {a} to {b} inclusive. Is {x} allowed?")


def _prime_factors(n: int) -> list[int]:
    found, d = list[int](), 2
    while n > 1:
        while n % d == 0:
            found.append(d)
            n //= d
        d += 1
    return found


def _collatz(n: int) -> int:
    steps = 0
    while n != 1:
        n, steps = (n // 2 if n % 2 == 0 else 3 * n + 1), steps + 1
    return steps


def _fibonacci(n: int) -> int:
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a
