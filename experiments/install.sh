# Sourced by quickstart.sh and tests/run.sh: installs Debian packages that are missing, and touches nothing when none is.
missing_packages() {
    local package
    for package in "$@"; do
        [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || echo "$package"
    done
}
install_missing() {
    local missing=() sudo=()
    mapfile -t missing < <(missing_packages "$@")
    [ ${#missing[@]} -eq 0 ] && return 0
    echo "installing: ${missing[*]}" >&2
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || { echo "these packages are missing and need root or sudo: ${missing[*]}" >&2; return 1; }
        sudo=(sudo)
    fi
    "${sudo[@]}" apt-get update -q >&2
    "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${missing[@]}" >&2
}
# What `poise cc` compiles with, for CUDA programs of one's own: clang, and NVIDIA's Thrust, CUB and libcu++.
own_kernels_packages=(clang libthrust-dev libcub-dev libcu++-dev)
