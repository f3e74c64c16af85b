# Title: Pages
check AD.words "words of all pages, at most 50,000" "git ls-files '*.md' | xargs cat | wc -w" "$(git ls-files '*.md' | xargs cat | wc -w)" "m <= 50000" ""
