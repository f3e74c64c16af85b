# Title: Pages
pages() { git ls-files '*.md' | xargs cat; }
check AD.words "words of all pages, at most 50,000" "git ls-files '*.md' | xargs cat | wc -w" "$(pages | wc -w)" "m <= 50000" \
    "bars of tables and other marks are counted; without them $(pages | tr -s ' \n' '\n\n' | grep -c '[A-Za-z0-9]')"
