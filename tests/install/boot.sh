#!/bin/sh
# Boots the Debian in a folder as PID 1 of new namespaces, which share only the network.
# Usage: boot.sh ROOT
set -eu
root=$1
mount --make-rprivate /
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount -t sysfs -o ro sysfs "$root/sys"
mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
mount -t tmpfs -o mode=755 tmpfs "$root/dev"
for name in null zero full random urandom tty; do
    touch "$root/dev/$name"
    mount --bind "/dev/$name" "$root/dev/$name"
done
ln -s /proc/self/fd "$root/dev/fd"
mkdir "$root/dev/pts" "$root/dev/shm"
mount -t devpts -o newinstance,ptmxmode=666,mode=620 devpts "$root/dev/pts"
ln -s pts/ptmx "$root/dev/ptmx"
for folder in dev/shm run tmp; do mount -t tmpfs -o mode=1777 tmpfs "$root/$folder"; done
chmod 755 "$root/run"
mkdir -p "$root/old"
cd "$root"
pivot_root . old
umount -l /old
exec env -i container=install-test PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd --log-target=journal
