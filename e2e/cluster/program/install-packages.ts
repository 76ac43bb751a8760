import { log, runCommand, tryCommand } from '../run-command.ts';
import { withVariables } from '../config.ts';

/** Programs that Debian 12 provides, each with its package. */
const PACKAGES: Readonly<Record<string, string>> = {
  etcd: 'etcd-server',
  containerd: 'containerd',
  runc: 'runc',
  '/usr/lib/cni/bridge': 'containernetworking-plugins',
  buildah: 'buildah',
  iptables: 'iptables',
  conntrack: 'conntrack',
  debootstrap: 'debootstrap',
  ip: 'iproute2',
  nsenter: 'util-linux',
  openssl: 'openssl',
};

/**
 * Installs the Debian packages of programs that are not on this machine. Daemons that Debian would
 * start are not started.
 */
export const installPackages = async (): Promise<void> => {
  const missing: string[] = [];
  for (const [program, name] of Object.entries(PACKAGES)) {
    const { code } = await tryCommand(['sh', '-c', `command -v ${program}`]);
    if (code !== 0) missing.push(name);
  }
  if (missing.length === 0) return;
  log(`installing ${missing.join(', ')}`);
  const env = withVariables({ DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' });
  await runCommand(['apt-get', 'install', '-y', '--no-install-recommends', ...missing], { env });
};

/** Returns the installed version of each package. */
export const readPackageVersions = async (): Promise<Record<string, string>> => {
  const names = [...new Set(Object.values(PACKAGES))];
  const format = '-f=${Package} ${Version}\n';
  const { stdout } = await tryCommand(['dpkg-query', '-W', format, ...names]);
  return Object.fromEntries(
    stdout
      .trim()
      .split('\n')
      .map((line) => line.split(' ') as [string, string]),
  );
};
