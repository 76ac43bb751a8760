/** The parts of package-lock.json and of `npm audit --json` that are read here. */
export type LockFile = {
  packages: Readonly<Record<string, { version?: string; dev?: boolean; name?: string }>>;
};
export type Audit = {
  vulnerabilities: Readonly<
    Record<string, { name: string; severity: string; range: string; nodes: readonly string[] }>
  >;
};

const PREFIX = 'node_modules/';
const FAILING = new Set(['high', 'critical']);

export type PackageFindings = { failures: string[]; notes: string[] };

/**
 * Compares the packages of a bundle (`name@version`) with the lock file and npm's advisories.
 * Development dependencies and advisories of severity high or critical are failures; others are
 * notes. An advisory counts only if its version is the bundled one.
 */
export const scanPackages = (
  packages: readonly string[],
  lock: LockFile,
  audit: Audit,
): PackageFindings => {
  const entries = Object.entries(lock.packages).map(([path, { name, version, dev }]) => ({
    path,
    title: `${name ?? path.slice(path.lastIndexOf(PREFIX) + PREFIX.length)}@${version}`,
    isDevelopment: dev === true,
  }));
  const failures: string[] = [];
  const notes: string[] = [];
  for (const one of packages) {
    const own = entries.filter(({ title }) => title === one);
    if (own.length === 0) failures.push(`${one} is bundled, but not in package-lock.json.`);
    else if (own.every(({ isDevelopment }) => isDevelopment)) {
      failures.push(`${one} is bundled, but a development dependency.`);
    }
    const paths = new Set(own.map(({ path }) => path));
    for (const { name, severity, range, nodes } of Object.values(audit.vulnerabilities)) {
      if (!nodes.some((node) => paths.has(node))) continue;
      const finding = `${one} has an advisory of severity ${severity} (${name} ${range}).`;
      (FAILING.has(severity) ? failures : notes).push(finding);
    }
  }
  return { failures, notes };
};

/** Returns the installed Debian packages of `/var/lib/dpkg/status`, as `name version`. */
export const parseDebianPackages = (status: string): string[] =>
  status
    .split('\n\n')
    .filter((section) => /^Status: install ok installed$/m.test(section))
    .map((section) => {
      const field = (name: string): string =>
        new RegExp(`^${name}: (.*)$`, 'm').exec(section)?.[1] ?? '';
      return `${field('Package')} ${field('Version')}`;
    });
