#!/usr/bin/env bash
# The copy of this system in which try-package and try-service work, which source this file.

# mount_overlay FOLDER: mounts an overlay in memory over the files of this system at FOLDER/root, with the processes of
# the namespace, and sets `root` to it. Nothing outside of the namespace of mounts changes. Fails if the kernel permits
# no overlay.
mount_overlay() {
    root=$1/root
    mount -t tmpfs tmpfs "$1" &&
        mkdir "$1/upper" "$1/work" "$root" &&
        mount -t overlay overlay -o "lowerdir=/,upperdir=$1/upper,workdir=$1/work" "$root" 2>/dev/null &&
        mount -t proc proc "$root/proc"
}
