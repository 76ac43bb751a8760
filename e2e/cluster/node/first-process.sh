#!/bin/bash
# The first process of a node's network, mount and process namespaces: first-process.sh STATE RESOLV_CONF.
# Prepares the mounts, creates STATE/ready, and then reaps orphaned processes until it is killed,
# which ends every process and mount of the node.
set -euo pipefail
state=$1

ip link set lo up
echo 1 > /proc/sys/net/ipv4/ip_forward

# The kubelet sets these for the whole machine; here it writes to files instead.
mkdir -p "$state/sysctl"
for name in vm/overcommit_memory kernel/panic kernel/panic_on_oops kernel/keys/root_maxkeys kernel/keys/root_maxbytes; do
  file=$state/sysctl/${name//\//.}
  case $name in
    vm/overcommit_memory | kernel/panic_on_oops) echo 1 > "$file" ;;
    kernel/panic) echo 10 > "$file" ;;
    *) cat "/proc/sys/$name" > "$file" ;;
  esac
  mount --bind "$file" "/proc/sys/$name"
done

# Folders that containerd, CNI plugins and the kubelet use whatever their settings say.
for folder in run/containerd var/lib/cni var/lib/kubelet var/log/pods var/log/containers usr/libexec/kubernetes; do
  mkdir -p "/$folder" "$state/fs/$folder"
  mount --bind "$state/fs/$folder" "/$folder"
done
mount --bind "$2" "$(readlink -f /etc/resolv.conf)"
# Mounts of the kubelet must reach the mount namespaces of containers.
mount --make-rshared /

touch "$state/ready"
while true; do
  wait -n 2> /dev/null || true
  sleep 1
done
