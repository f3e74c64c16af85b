# Title: The first hour of a new user
# A stranger's first hour: FIRST_HOUR is the total that tests/first-hour.sh prints; without it the old value stays.
handed T.first_hour "processor seconds of all commands of README's first hour, at most 60 for each and here for all" "tests/first-hour.sh" "${FIRST_HOUR:-}" "m <= 60" ""
