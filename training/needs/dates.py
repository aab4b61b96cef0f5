"""Needs about dates."""

# fmt: off
import calendar
from datetime import date, datetime, timedelta

from training.needs.need import Collection, amount, clock, day, pick, several, whole

DATES = Collection("dates")
TIMES = Collection("times")
_d = date.fromisoformat


def _months_later(start: str, months: int) -> str:
    first = _d(start)
    year, month = divmod(first.year * 12 + first.month - 1 + months, 12)
    return date(year, month + 1, min(first.day, calendar.monthrange(year, month + 1)[1])).isoformat()


def _age(born: str, on: str) -> int:
    b, o = _d(born), _d(on)
    return o.year - b.year - ((o.month, o.day) < (b.month, b.day))


def _workdays(start: str, days: int) -> str:
    at = _d(start)
    while days:
        at += timedelta(days=1)
        days -= at.weekday() < 5
    return at.isoformat()


def _weekdays_between(start: str, end: str) -> int:
    first, last = sorted((_d(start), _d(end)))
    return sum(
        (first + timedelta(days=n)).weekday() < 5 for n in range((last - first).days + 1)
    )


def _nth(year: int, month: int, weekday: str, n: int) -> str:
    names = list(calendar.day_name)
    days = [d for d in calendar.Calendar().itermonthdates(year, month) if d.month == month]
    return [d for d in days if names[d.weekday()] == weekday][n - 1].isoformat()


_MONTHS = list(calendar.month_name)[1:]
add = DATES.add
add("days_after", {"start": day(), "days": whole(8, 400)},
    lambda start, days: (_d(start) + timedelta(days=days)).isoformat(),
    "What is the date {days} days after {start}? Give it as YYYY-MM-DD.",
    "It is {start}. Which date (YYYY-MM-DD) do we have in {days} days?",
    "Add {days} days to {start}.", "My package left on {start} and takes {days} days. On which date is it there?")
add("days_before", {"end": day(), "days": whole(8, 300)},
    lambda end, days: (_d(end) - timedelta(days=days)).isoformat(),
    "Which date was {days} days before {end}? As YYYY-MM-DD.", "Subtract {days} days from {end}.",
    "The deadline is {end} and I need {days} days. When do I have to start (YYYY-MM-DD)?")
add("weeks_after", {"start": day(), "weeks": whole(2, 60)},
    lambda start, weeks: (_d(start) + timedelta(weeks=weeks)).isoformat(),
    "What date is {weeks} weeks after {start}, as YYYY-MM-DD?", "Add {weeks} weeks to the date {start}.",
    "A course starts on {start} and ends exactly {weeks} weeks later. What is the end date?")
add("months_after", {"start": day(), "months": whole(1, 30)}, _months_later,
    "What is the date {months} months after {start} (the last day of the month if that day does not exist)?",
    "My contract began on {start} and runs {months} months. To which date (YYYY-MM-DD) is that? Use the month's last day where the day is missing.",
    "Add {months} calendar months to {start}; if the day does not exist, take the last of the month.")
add("day_of_year", {"when": day()}, lambda when: _d(when).timetuple().tm_yday,
    "Which day of the year is {when}?", "{when} is the how-manieth day of its year?",
    "Count from January 1 as day 1: what number does {when} have?")
add("iso_week", {"when": day()}, lambda when: _d(when).isocalendar()[1],
    "In which ISO week is {when}?", "What is the ISO calendar week number of {when}?",
    "Tell me the calendar week (ISO) for {when}.")
add("days_in_month", {"month": pick(*_MONTHS), "year": whole(1896, 2104)},
    lambda month, year: calendar.monthrange(year, _MONTHS.index(month) + 1)[1],
    "How many days does {month} {year} have?", "Number of days in {month} of the year {year}?",
    "I pay per day: how many days are in {month} {year}?")
add("age_on", {"born": day(1940, 2008), "on": day(2010, 2030)}, _age,
    "Somebody was born on {born}. How old is this person on {on}?",
    "Age in full years on {on} of a person born {born}?",
    "My aunt's birth date is {born}. How many years old will she be on {on}?")
add("workday_after", {"start": day(2015, 2030), "days": whole(2, 25)}, _workdays,
    "Which date is {days} working days (Monday to Friday) after {start}?",
    "Count {days} business days forward from {start}, not counting weekends. As YYYY-MM-DD.",
    "An order of {start} is sent after {days} working days. When is that? Saturdays and Sundays do not count.")
add("workdays_between", {"start": day(2020, 2022), "end": day(2022, 2023)}, _weekdays_between,
    "How many weekdays (Monday to Friday) are there from {start} to {end}, both days included?",
    "Count the days from Monday to Friday between {start} and {end} inclusive.",
    "I work Monday to Friday. On how many days do I work from {start} up to and including {end}?")
add("nth_weekday", {"year": whole(2000, 2035), "month": whole(1, 12), "weekday": pick(*list(calendar.day_name)), "n": whole(1, 4)}, _nth,
    "What is the date of {weekday} number {n} in month {month} of {year}? As YYYY-MM-DD.",
    "Our club meets on the {weekday} that is number {n} of the month. Which date is that in {year}-{month:02d}?",
    "Find occurrence {n} of {weekday} in month {month}, year {year}.")
add("date_format", {"when": day()}, lambda when: _d(when).strftime("%d.%m.%Y"),
    "Write {when} as DD.MM.YYYY", "Turn the date {when} into the form DD.MM.YYYY.",
    "Our form wants day.month.year with dots: how do I write {when}?")
add("date_us", {"when": day()}, lambda when: _d(when).strftime("%m/%d/%Y"),
    "Write the date {when} as MM/DD/YYYY", "Give {when} in US form, MM/DD/YYYY.",
    "Convert {when} from ISO to month/day/year with two digits each and a four-digit year.")
add("month_name", {"when": day()}, lambda when: _d(when).strftime("%B"),
    "Which month is {when} in? Give its English name.", "Name of the month of {when}, please",
    "The date is {when}. What is the month called?")
add("earliest", {"dates": several(day(), 3, 7, distinct=True)}, lambda dates: min(dates),
    "Which of these dates is the earliest: {dates}", "Find the first date in {dates!r}",
    "Of {dates}, which one came first?")
add("sort_dates", {"dates": several(day(), 3, 6, distinct=True)}, lambda dates: sorted(dates),
    "Put these dates in order, oldest first: {dates}", "Sort {dates!r} from the earliest to the latest",
    "Order by time: {dates}")
add("span_days", {"dates": several(day(), 3, 6, distinct=True)},
    lambda dates: (_d(max(dates)) - _d(min(dates))).days,
    "How many days lie between the first and the last of these dates: {dates}",
    "Take {dates!r}: how many days are there from the oldest to the newest?",
    "My photos are from {dates}. How many days do they span from first to last?")
add("next_weekday", {"start": day(), "weekday": pick(*list(calendar.day_name))},
    lambda start, weekday: (_d(start) + timedelta(days=(list(calendar.day_name).index(weekday) - _d(start).weekday() - 1) % 7 + 1)).isoformat(),
    "What is the date of the next {weekday} after {start}?", "Starting after {start}, when is the first {weekday}? As YYYY-MM-DD.",
    "It is {start}. My shift is on the next {weekday} (not today). Which date?")
add("days_to_year_end", {"when": day()}, lambda when: (date(_d(when).year, 12, 31) - _d(when)).days,
    "How many days are left in the year after {when}?", "From {when} to December 31 of the same year: how many days?",
    "It is {when}. In how many days is the last day of this year?")
add("same_month", {"first": day(2020, 2021), "second": day(2020, 2021)}, lambda first, second: first[:7] == second[:7],
    "Are {first} and {second} in the same month of the same year?", "Is it true that {first} and {second} fall in one month?",
    "Do the dates {first} and {second} have the same year and month? Yes or no.")
add("century", {"year": whole(101, 2100)}, lambda year: (year - 1) // 100 + 1,
    "In which century is the year {year}?", "The year {year} belongs to which century, as a number?",
    "Number of the century of {year}?")
add("last_of_month", {"when": day()}, lambda when: when[:8] + str(calendar.monthrange(int(when[:4]), int(when[5:7]))[1]),
    "What is the last day of the month of {when}, as YYYY-MM-DD?", "Rent is due at the end of the month. Which date is that for {when}?",
    "Give me the month end for {when}.")
def _spoken(make):  # type: ignore[no-untyped-def]
    """A date as it is said, such as March 4, 2019."""

    def spoken(chance):  # type: ignore[no-untyped-def]
        when = _d(make(chance))
        return f"{when:%B} {when.day}, {when.year}"

    return spoken


def _us(said: str, days: int) -> str:
    when = datetime.strptime(said, "%B %d, %Y") + timedelta(days=days)
    return when.strftime("%m/%d/%Y")


add("spoken_after", {"said": _spoken(day()), "days": whole(2, 70)}, _us,
    "The meeting is {days} days after {said}. Which date is that, as MM/DD/YYYY?", "It is {said} today. What date will it be in {days} days, in MM/DD/YYYY?",
    "Our holiday begins {days} days from {said}. Write that date as MM/DD/YYYY.")
add("spoken_before", {"said": _spoken(day()), "days": whole(2, 70)}, lambda said, days: _us(said, -days),
    "Today is {said}. Which date was it {days} days ago, as MM/DD/YYYY?", "The letter came on {said} and had been posted {days} days before. Date of posting in MM/DD/YYYY?",
    "Count back {days} days from {said} and give the date as MM/DD/YYYY.")
add("spoken_plain", {"said": _spoken(day())}, lambda said: _us(said, 0),
    "Write {said} as MM/DD/YYYY", "The form wants MM/DD/YYYY: how do I enter {said}?", "Give the date {said} in the form MM/DD/YYYY.")
add("spoken_gap", {"first": _spoken(day(2001, 2010)), "second": _spoken(day(2011, 2020))}, lambda first, second: (datetime.strptime(second, "%B %d, %Y") - datetime.strptime(first, "%B %d, %Y")).days,
    "How many days passed from {first} to {second}?", "I moved in on {first} and out on {second}. How many days is that?", "Number of days between {first} and {second}?")
add("years_months", {"start": day(1990, 2005), "end": day(2006, 2030)},
    lambda start, end: (_d(end).year - _d(start).year) * 12 + _d(end).month - _d(start).month - (_d(end).day < _d(start).day),
    "How many full months are there between {start} and {end}?", "Full months from {start} to {end}?",
    "I have paid monthly since {start}. How many whole months is that on {end}?")

add = TIMES.add


def _minutes(text: str) -> int:
    return int(text[:2]) * 60 + int(text[3:])


def _clock(minutes: float) -> str:
    return f"{int(minutes) // 60 % 24:02d}:{int(minutes) % 60:02d}"


add("minutes_to_hm", {"minutes": whole(61, 2000)}, lambda minutes: f"{minutes // 60}:{minutes % 60:02d}",
    "Write {minutes} minutes as hours and minutes, H:MM", "A film lasts {minutes} minutes. How long is that as H:MM?",
    "Convert {minutes} min to the form H:MM")
add("seconds_to_hms", {"seconds": whole(3700, 80000)},
    lambda seconds: f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}",
    "Write {seconds} seconds as HH:MM:SS", "How long are {seconds} seconds as HH:MM:SS?",
    "My stopwatch shows {seconds} s. Give it as hours:minutes:seconds with two digits each.")
add("hms_to_seconds", {"h": whole(1, 9), "m": whole(1, 59), "s": whole(1, 59)}, lambda h, m, s: h * 3600 + m * 60 + s,
    "How many seconds are {h} hours, {m} minutes and {s} seconds?", "Convert {h} h {m} min {s} s to seconds",
    "A recording is {h}:{m:02d}:{s:02d} long. How many seconds is that?")
add("twelve_hour", {"time": clock()}, lambda time: datetime.strptime(time, "%H:%M").strftime("%I:%M %p").lstrip("0"),
    "Write {time} in 12-hour form with AM or PM, like 3:05 PM", "What is {time} on a 12-hour clock (form 9:30 AM)?",
    "Convert the time {time} to h:MM AM/PM without a leading zero.")
add("twenty_four", {"hour": whole(1, 12), "minute": whole(0, 59), "half": pick("AM", "PM")},
    lambda hour, minute, half: f"{hour % 12 + 12 * (half == 'PM'):02d}:{minute:02d}",
    "Write {hour}:{minute:02d} {half} in 24-hour form HH:MM", "What is {hour}:{minute:02d} {half} as HH:MM on a 24-hour clock?",
    "Convert {hour}:{minute:02d} {half} to military style with a colon (HH:MM).")
add("earlier_time", {"end": clock(9, 23), "h": whole(1, 8), "m": whole(1, 59)},
    lambda end, h, m: _clock(_minutes(end) - h * 60 - m),
    "I have to be there at {end} and the way takes {h} hours and {m} minutes. When must I leave (HH:MM)?",
    "What time is {h} h {m} min before {end}?", "Dinner is at {end} and cooking takes {h} h {m} min. When do I start, as HH:MM?")
add("shift_hours", {"start": clock(5, 10), "end": clock(14, 22), "pause": whole(15, 60, 5)},
    lambda start, end, pause: round((_minutes(end) - _minutes(start) - pause) / 60, 2),
    "I worked from {start} to {end} with a break of {pause} minutes. How many hours did I work, to two decimals?",
    "Shift {start}-{end}, {pause} min unpaid break: how many hours (2 decimals) are paid?",
    "Start {start}, end {end}, pause {pause} minutes. Working time in decimal hours, rounded to 2 places?")
add("night_minutes", {"start": clock(18, 23), "end": clock(0, 8)},
    lambda start, end: (_minutes(end) - _minutes(start)) % 1440,
    "The night train leaves at {start} and arrives at {end} the next day. How many minutes does it take?",
    "From {start} until {end} the next morning: how many minutes?", "The party went from {start} to {end}, past midnight. How many minutes was that?")
add("sum_durations", {"minutes": several(whole(5, 130), 3, 7)}, lambda minutes: f"{sum(minutes) // 60}:{sum(minutes) % 60:02d}",
    "My calls took {minutes} minutes. How long is that together, as H:MM?", "Add up {minutes!r} minutes and give the total as H:MM",
    "Episodes of {minutes} minutes: how long do I watch in all (H:MM)?")
add("mean_time", {"minutes": several(whole(20, 90), 3, 6)}, lambda minutes: round(sum(minutes) / len(minutes), 1),
    "My way to work took {minutes} minutes. What is the mean, to one decimal?", "Average of these durations in minutes, one decimal: {minutes}",
    "Mean waiting time of {minutes!r} minutes, rounded to one decimal?")
add("clock_angle", {"h": whole(1, 12), "m": whole(0, 59)},
    lambda h, m: min(abs(30 * h + m / 2 - 6 * m) % 360, 360 - abs(30 * h + m / 2 - 6 * m) % 360),
    "What is the smaller angle in degrees between the hands of a clock at {h}:{m:02d}?",
    "It is {h}:{m:02d}. Which angle (the smaller one) do hour and minute hand make?", "Angle between the clock hands at {h}:{m:02d}, at most 180 degrees?")
add("time_zone", {"time": clock(), "here": whole(-8, 9), "there": whole(-8, 12)},
    lambda time, here, there: _clock(_minutes(time) + (there - here) * 60),
    "It is {time} in a city with UTC offset {here:+d}. What time is it (HH:MM) in a city with UTC offset {there:+d}?",
    "A call is at {time}, UTC{here:+d}. Which clock time is that at UTC{there:+d}?", "Convert {time} from UTC{here:+d} to UTC{there:+d}, as HH:MM.")
add("decimal_hours", {"hours": amount(1, 30, 2)}, lambda hours: f"{int(hours)}:{round(hours % 1 * 60) % 60:02d}" if round(hours % 1 * 60) < 60 else f"{int(hours) + 1}:00",
    "Write {hours} hours as H:MM (minutes rounded)", "My time sheet says {hours} h. What is that in hours and minutes, H:MM, to the nearest minute?",
    "Convert decimal hours {hours} to H:MM, rounding to whole minutes.")
add("nth_bus", {"first": clock(5, 9), "every": whole(7, 35), "n": whole(3, 12)},
    lambda first, every, n: _clock(_minutes(first) + (n - 1) * every),
    "The first bus goes at {first}, then one every {every} minutes. When does bus number {n} go (HH:MM)?",
    "Buses start at {first} and come every {every} min. At what time is the bus that is number {n}?", "First at {first}, interval {every} minutes: time of departure number {n}?")
