"""An enumeration: seven days later it is the same day."""

from enum import Enum

from goedels_poetry.contracts import ensures


class Day(Enum):
    MONDAY = 0
    TUESDAY = 1
    WEDNESDAY = 2
    THURSDAY = 3
    FRIDAY = 4
    SATURDAY = 5
    SUNDAY = 6


def tomorrow(day: Day) -> Day:
    match day:
        case Day.MONDAY:
            return Day.TUESDAY
        case Day.TUESDAY:
            return Day.WEDNESDAY
        case Day.WEDNESDAY:
            return Day.THURSDAY
        case Day.THURSDAY:
            return Day.FRIDAY
        case Day.FRIDAY:
            return Day.SATURDAY
        case Day.SATURDAY:
            return Day.SUNDAY
        case _:
            return Day.MONDAY


@ensures(lambda result, day: result == day)
def next_week(day: Day) -> Day:
    for _ in range(7):
        day = tomorrow(day)
    return day
