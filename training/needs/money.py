"""Needs about money and units."""

# fmt: off
import math

from training.needs.need import Collection, amount, pick, several, whole


def _coins(cents: int) -> int:
    count = 0
    for coin in (200, 100, 50, 20, 10, 5, 2, 1):
        count, cents = count + cents // coin, cents % coin
    return count


MONEY = Collection("money")
UNITS = Collection("units")
add = MONEY.add
add("vat_on_top", {"net": amount(5, 900), "rate": pick(5, 7, 10, 19, 20, 21)}, lambda net, rate: round(net * (1 + rate / 100), 2),
    "A bill is {net} without tax. What is it with {rate}% VAT?", "Add {rate} percent VAT to {net}.", "Net price {net}, tax {rate}%: gross price?")
add("vat_inside", {"gross": amount(20, 900), "rate": pick(5, 7, 10, 19, 20, 21)}, lambda gross, rate: round(gross - gross / (1 + rate / 100), 2),
    "A price of {gross} includes {rate}% VAT. How much of it is the tax?", "How much VAT at {rate} percent is inside the gross amount {gross}?",
    "I paid {gross} with {rate}% tax included. What part is tax?")
add("net_price", {"gross": amount(20, 900), "rate": pick(5, 7, 10, 19, 20, 21)}, lambda gross, rate: round(gross / (1 + rate / 100), 2),
    "What is the net price when {gross} includes {rate}% VAT?", "Take {rate} percent VAT out of {gross}.", "Gross {gross}, VAT {rate}%: net?")
add("simple_interest", {"sum": whole(200, 9000, 50), "rate": amount(0.5, 7, 1), "years": whole(2, 12)}, lambda sum, rate, years: round(sum * rate / 100 * years, 2),
    "How much simple interest do {sum} euros bring at {rate}% a year in {years} years?", "{sum} at {rate} percent simple interest for {years} years: how much interest?",
    "Interest (not compounded) on {sum} at {rate}% per year over {years} years?")
add("compound", {"sum": whole(200, 9000, 50), "rate": amount(0.5, 7, 1), "years": whole(2, 25)}, lambda sum, rate, years: round(sum * (1 + rate / 100) ** years, 2),
    "I put {sum} euros in the bank at {rate}% compound interest a year. What do I have after {years} years?",
    "{sum} grows by {rate} percent every year. How much is it after {years} years, to the cent?", "Value of {sum} after {years} years with yearly compounding at {rate}%?")
add("monthly_rate", {"loan": whole(1000, 40000, 500), "rate": amount(1, 9, 1), "months": whole(12, 96, 6)},
    lambda loan, rate, months: round(loan * (rate / 1200) / (1 - (1 + rate / 1200) ** -months), 2),
    "What is the monthly payment for a loan of {loan} at {rate}% a year over {months} months (annuity)?",
    "Annuity loan: {loan} euros, {rate} percent yearly, {months} monthly payments. How much is one payment?", "Loan {loan}, yearly rate {rate}%, {months} months: fixed monthly payment?")
add("exchange", {"sum": whole(20, 2000, 5), "rate": amount(0.6, 1.9, 4)}, lambda sum, rate: round(sum * rate, 2),
    "One euro is {rate} dollars. How many dollars do I get for {sum} euros?", "Convert {sum} euros at a rate of {rate} dollars per euro.", "Rate {rate}: what are {sum} units of my money worth in the other currency?")
add("exchange_fee", {"sum": whole(50, 2000, 5), "rate": amount(0.6, 1.9, 3), "fee": amount(0.5, 4, 1)}, lambda sum, rate, fee: round(sum * (1 - fee / 100) * rate, 2),
    "I change {sum} euros at {rate} and first a fee of {fee}% is taken off the euros. What do I get?", "{sum} minus {fee} percent fee, then times the rate {rate}: how much?",
    "The bank keeps {fee}% of my {sum} and changes the rest at a rate of {rate}. How much do I receive?")
add("bulk", {"count": whole(3, 80), "price": amount(0.3, 40), "limit": whole(10, 40, 5), "off": pick(5, 8, 10, 15)},
    lambda count, price, limit, off: round(count * price * ((1 - off / 100) if count >= limit else 1), 2),
    "A piece costs {price}; from {limit} pieces on there is {off}% off everything. What do {count} pieces cost?",
    "I order {count} at {price} each. If it is {limit} or more, {off} percent is taken off the total. What do I pay?", "Price {price}, {off}% discount for at least {limit} pieces: total for {count}?")
add("cheaper_unit", {"a": amount(1, 9), "na": whole(2, 12), "b": amount(1, 15), "nb": whole(3, 20)}, lambda a, na, b, nb: "first" if a / na < b / nb else "second",
    "The first pack has {na} pieces for {a}, the second {nb} pieces for {b}. Which is cheaper per piece, first or second?",
    "{na} rolls for {a} or {nb} rolls for {b}: is the first or the second offer better per roll?", "Compare the price per piece: first {a} for {na}, second {b} for {nb}. Answer first or second.")
add("unit_price", {"price": amount(0.5, 20), "grams": whole(80, 950, 10)}, lambda price, grams: round(price / grams * 1000, 2),
    "{grams} g of cheese cost {price}. What is the price per kilogram?", "A bag of {grams} grams is {price} euros. Euros per kg?", "Price for 1 kg if {grams} g are {price}?")
add("before_rise", {"now": amount(20, 900), "rise": whole(2, 40)}, lambda now, rise: round(now / (1 + rise / 100), 2),
    "After a rise of {rise}% the rent is {now}. What was it before?", "A price went up {rise} percent and is now {now}. Old price?", "{now} is {rise}% more than which amount (2 decimals)?")
add("percent_change", {"old": amount(10, 500), "new": amount(10, 500)}, lambda old, new: round((new - old) / old * 100, 2),
    "A share went from {old} to {new}. What is the change in percent, to two decimals?", "Percentage change from {old} to {new} (2 decimals)?",
    "By how many percent did the price change if it was {old} and is {new}? Negative if it fell; two decimals.")
add("percent_of", {"part": whole(3, 400), "total": whole(401, 2000)}, lambda part, total: round(part / total * 100, 1),
    "{part} of {total} people came. How many percent is that, to one decimal?", "What percentage of {total} is {part} (one decimal)?", "{part} out of {total} in percent, rounded to one decimal?")
add("split_shares", {"total": whole(90, 5000, 10), "shares": several(whole(1, 7), 2, 4)}, lambda total, shares: [round(total * s / sum(shares), 2) for s in shares],
    "Split {total} euros in the ratio {shares}. What does each get?", "Divide {total} by the shares {shares!r}; give the list of amounts to the cent.", "{total} is shared in proportion {shares}. List the parts, rounded to 2 decimals.")
add("settle", {"paid": several(amount(5, 90), 3, 5)}, lambda paid: [round(p - sum(paid) / len(paid), 2) for p in paid],
    "Friends paid {paid} and want to share equally. How much does each get back (plus) or owe (minus)? A list to the cent.",
    "We paid {paid!r}. For each: amount paid minus the equal share, 2 decimals.", "Expenses {paid}, split evenly: list each one's balance, positive if money comes back, two decimals.")
add("coins", {"cents": whole(3, 499)}, lambda cents: _coins(cents),
    "What is the least number of euro coins (200, 100, 50, 20, 10, 5, 2, 1 cents) for {cents} cents?", "With coins of 1, 2, 5, 10, 20, 50, 100 and 200 cents: how few coins make {cents} cents?",
    "Give {cents} cents of change with as few euro coins as possible (1, 2, 5, 10, 20, 50 cents, 1 and 2 euros). How many coins?")
add("basket", {"prices": several(amount(0.5, 30), 3, 7)}, lambda prices: round(sum(prices), 2),
    "I bought things for {prices}. What is the total?", "Sum of the receipt {prices!r}?", "What do I pay for items that cost {prices}?")
add("basket_change", {"prices": several(amount(0.5, 9), 2, 5), "note": pick(50, 100)}, lambda prices, note: round(note - sum(prices), 2),
    "I buy things for {prices} and pay with a {note} note. How much change do I get?", "Change from {note} after spending {prices!r}?", "Items cost {prices}. What is left of {note} euros?")
add("hourly_pay", {"hours": amount(2, 60, 1), "wage": amount(11, 60)}, lambda hours, wage: round(hours * wage, 2),
    "I worked {hours} hours for {wage} an hour. What do I earn?", "{hours} h at {wage} per hour: pay?", "Pay for {hours} hours with an hourly wage of {wage}?")
add("overtime", {"hours": whole(30, 60), "wage": amount(11, 40), "usual": pick(35, 38, 40)}, lambda hours, wage, usual: round(min(hours, usual) * wage + max(0, hours - usual) * wage * 1.5, 2),
    "I earn {wage} an hour and 50% more for every hour above {usual}. What do I get for {hours} hours?", "{hours} hours worked, wage {wage}, time and a half after {usual} hours: weekly pay?",
    "Hours beyond {usual} count one and a half times. Wage {wage}, {hours} hours: how much money?")
add("brackets", {"income": whole(5000, 90000, 100)}, lambda income: round(max(0, min(income, 30000) - 10000) * 0.2 + max(0, income - 30000) * 0.4, 2),
    "The tax is 0% up to 10000, 20% on what is between 10000 and 30000, and 40% above 30000. What is the tax on {income}?", "Tax on an income of {income} if nothing is due up to 10000, 20 percent from there to 30000 and 40 percent on the rest?",
    "First 10000 free, next 20000 at 20%, everything above at 40%: tax for {income}?")
add("subscription", {"price": amount(3, 40), "months": whole(5, 60), "setup": amount(5, 60)}, lambda price, months, setup: round(price * months + setup, 2),
    "A plan costs {price} a month plus {setup} once. What are the costs for {months} months?", "{months} months at {price} and a one-time fee of {setup}: total?", "Set-up fee {setup}, then {price} monthly. What have I paid after {months} months?")
add("break_even", {"a": whole(5, 20), "b": whole(21, 60), "buy": whole(100, 900, 10)}, lambda a, b, buy: math.ceil(buy / (b - a)),
    "A machine costs {buy} and then {a} a day; renting costs {b} a day. From how many days on is buying not dearer?", "Buying: {buy} once plus {a} per use. Renting: {b} per use. How many uses until buying costs at most as much?",
    "Option one has a fixed cost of {buy} and {a} per piece, option two {b} per piece. Smallest number of pieces at which option one is no more expensive?")
add("margin", {"cost": amount(2, 200), "price": amount(201, 500)}, lambda cost, price: round((price - cost) / price * 100, 1),
    "Something costs me {cost} and I sell it for {price}. What is the margin in percent of the selling price, one decimal?", "Margin (profit as a percentage of the price, one decimal): cost {cost}, price {price}?",
    "I buy for {cost}, sell for {price}. How many percent of the selling price is profit? One decimal.")
add = UNITS.add


def _unit(name: str, low: float, high: float, factor: float, digits: int, *wordings: str) -> None:
    UNITS.add(name, {"x": amount(low, high, 1)}, lambda x: round(x * factor, digits), *wordings)


_unit("miles_km", 1, 400, 1.609344, 2, "How many kilometres are {x} miles, to two decimals?", "Convert {x} miles to km (2 decimals)", "A sign says {x} miles. What is that in kilometres, rounded to 2 decimals?")
_unit("km_miles", 1, 400, 1 / 1.609344, 2, "How many miles are {x} km, to two decimals?", "Convert {x} kilometres to miles (2 decimals)", "I cycled {x} km. Miles, please, rounded to two decimals.")
_unit("kg_pounds", 1, 150, 1 / 0.45359237, 2, "How many pounds are {x} kg, to two decimals?", "Convert {x} kilograms to pounds (2 decimals)", "My suitcase weighs {x} kg. What is it in lb, 2 decimals?")
_unit("pounds_kg", 1, 300, 0.45359237, 2, "How many kilograms are {x} pounds, to two decimals?", "Convert {x} lb to kg (2 decimals)", "A parcel of {x} pounds: weight in kg, rounded to two decimals?")
_unit("inch_cm", 1, 90, 2.54, 2, "How many centimetres are {x} inches?", "Convert {x} inches to cm (2 decimals)", "A screen of {x} inches: how many cm, rounded to 2 decimals?")
_unit("cm_inch", 1, 300, 1 / 2.54, 2, "How many inches are {x} cm, to two decimals?", "Convert {x} centimetres to inches (2 decimals)", "My table is {x} cm long. In inches, rounded to two decimals?")
_unit("feet_m", 1, 900, 0.3048, 2, "How many metres are {x} feet, to two decimals?", "Convert {x} ft to m (2 decimals)", "The tower is {x} feet high. What is that in metres (two decimals)?")
_unit("litres_gallons", 1, 90, 1 / 3.785411784, 2, "How many US gallons are {x} litres, to two decimals?", "Convert {x} litres to US gallons (2 decimals)", "A tank holds {x} l. How many US gallons is that, rounded to 2 decimals?")
_unit("kmh_ms", 5, 200, 1 / 3.6, 2, "What is {x} km/h in metres per second, to two decimals?", "Convert {x} kilometres per hour to m/s (2 decimals)", "A wind of {x} km/h: how many m/s, two decimals?")
_unit("ms_kmh", 1, 60, 3.6, 2, "What is {x} m/s in km/h?", "Convert {x} metres per second to kilometres per hour (2 decimals)", "The cheetah runs {x} m/s. Which speed is that in km/h?")
_unit("hectare_m2", 0.5, 90, 10000, 0, "How many square metres are {x} hectares?", "Convert {x} ha to m²", "A field of {x} hectares: area in square metres?")
add("celsius", {"x": amount(-20, 110, 1)}, lambda x: round((x - 32) * 5 / 9, 1),
    "What is {x} degrees Fahrenheit in Celsius, to one decimal?", "Convert {x} °F to °C (one decimal)", "The oven manual says {x} F. How many degrees Celsius is that, rounded to one decimal?")
add("kelvin", {"x": amount(-90, 200, 1)}, lambda x: round(x + 273.15, 2),
    "What is {x} degrees Celsius in Kelvin?", "Convert {x} °C to K (2 decimals)", "Temperature {x} C as Kelvin?")
add("feet_inches", {"f": whole(4, 6), "i": whole(0, 11)}, lambda f, i: round((f * 12 + i) * 2.54, 1),
    "How tall in cm is somebody of {f} feet {i} inches, to one decimal?", "Convert {f} ft {i} in to centimetres (one decimal)", "{f}'{i}\" in cm, rounded to one decimal?")
add("bytes", {"x": amount(1, 900, 1), "unit": pick("KB", "MB", "GB")}, lambda x, unit: round(x * 1000 ** (("KB", "MB", "GB").index(unit) + 1)),
    "How many bytes are {x} {unit}, with 1000 as the step?", "Convert {x} {unit} to bytes (decimal units, 1 KB = 1000 bytes)", "A file has {x} {unit} (powers of 1000). Number of bytes?")
add("mib", {"x": whole(5000000, 900000000)}, lambda x: round(x / 2**20, 2),
    "How many MiB (1024 times 1024 bytes) are {x} bytes, to two decimals?", "Convert {x} bytes to mebibytes (2 decimals)", "A file has {x} bytes; what is that in MiB, rounded to two decimals?")
add("download", {"mb": whole(50, 9000, 10), "mbit": whole(5, 250, 5)}, lambda mb, mbit: round(mb * 8 / mbit, 1),
    "How many seconds does it take to load {mb} megabytes at {mbit} megabits per second, to one decimal?", "A {mb} MB file over a {mbit} Mbit/s line: seconds (one decimal)?", "Download time in seconds, one decimal, for {mb} MB at {mbit} Mbit/s (8 bits a byte)?")
add("speed", {"km": whole(12, 800), "h": whole(0, 9), "m": whole(5, 59)}, lambda km, h, m: round(km / (h + m / 60), 1),
    "I went {km} km in {h} hours and {m} minutes. What was my average speed in km/h, to one decimal?", "{km} km in {h} h {m} min: km/h with one decimal?", "Mean speed (km/h, one decimal) for {km} kilometres that took {h}:{m:02d} hours?")
add("travel_time", {"km": whole(12, 800), "speed": whole(20, 160, 5)}, lambda km, speed: round(km / speed * 60),
    "How many minutes do {km} km take at {speed} km/h, rounded to whole minutes?", "At {speed} km/h, how long (in minutes, rounded) is a trip of {km} km?", "Distance {km} km, speed {speed} km/h: minutes needed, to the nearest minute?")
add("energy_cost", {"watts": whole(20, 2500, 10), "hours": whole(1, 24), "days": whole(5, 365), "price": amount(0.15, 0.6, 2)}, lambda watts, hours, days, price: round(watts / 1000 * hours * days * price, 2),
    "A device of {watts} watts runs {hours} hours a day. What does it cost in {days} days at {price} per kWh?", "{watts} W, {hours} h daily, {days} days, {price} euros a kilowatt hour: electricity cost?", "Cost of running {watts} watts for {hours} hours on each of {days} days, with {price} per kWh?")
add("bmi", {"kg": amount(45, 120, 1), "cm": whole(150, 200)}, lambda kg, cm: round(kg / (cm / 100) ** 2, 1),
    "What is the body mass index of somebody with {kg} kg and {cm} cm, to one decimal?", "BMI for {cm} cm and {kg} kg (one decimal)?", "I weigh {kg} kg and am {cm} cm tall. My BMI, rounded to one decimal?")
add("dilution", {"ml": whole(100, 3000, 50), "parts": whole(2, 20)}, lambda ml, parts: round(ml / (parts + 1), 1),
    "Syrup and water are mixed 1 to {parts}. How many ml of syrup are in {ml} ml of the drink, to one decimal?", "Mix 1 part of cleaner with {parts} parts of water to get {ml} ml. How much cleaner (ml, one decimal)?", "A drink of {ml} ml is 1 part syrup, {parts} parts water. Millilitres of syrup, one decimal?")
add("cups_ml", {"cups": amount(0.5, 9, 2)}, lambda cups: round(cups * 240),
    "A cup is 240 ml. How many ml are {cups} cups, rounded?", "Convert {cups} cups of 240 ml to millilitres (whole number)", "The recipe says {cups} cups (240 ml each). How much is that in ml, rounded?")
