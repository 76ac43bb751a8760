/** What the process in a pod reports about its own container. */
export type PodReport = {
  uid: number;
  gid: number;
  /** Bits of the effective and the bounding set of process 1, hexadecimal. */
  effectiveCapabilities: string;
  boundingCapabilities: string;
  noNewPrivileges: string;
  seccomp: string;
  /** The tried folders in which the process could create a folder. */
  writable: readonly string[];
  memoryLimitBytes: number;
  hasToken: boolean;
};

export type PodExpectation = { memoryLimitBytes: number };

const USER = 65_532;
const SECCOMP_FILTER = '2';
/** The container runtime adds this folder (docs/kubernetes.md). */
const ALWAYS_WRITABLE = '/dev/shm';

/** Returns a violation for each restriction of the pod that its container does not have. */
export const findPodViolations = (
  report: PodReport,
  { memoryLimitBytes }: PodExpectation,
): string[] => {
  const checks: readonly (readonly [boolean, string])[] = [
    [report.uid === USER && report.gid === USER, `runs as ${report.uid}:${report.gid}`],
    [isEmptySet(report.effectiveCapabilities), `capabilities ${report.effectiveCapabilities}`],
    [isEmptySet(report.boundingCapabilities), `bounding set ${report.boundingCapabilities}`],
    [report.noNewPrivileges === '1', 'may gain privileges'],
    [report.seccomp === SECCOMP_FILTER, `seccomp mode ${report.seccomp}`],
    [isReadOnly(report.writable), `writable: ${report.writable.join(', ')}`],
    [report.memoryLimitBytes === memoryLimitBytes, `memory limit ${report.memoryLimitBytes}`],
    [!report.hasToken, 'has a token of its service account'],
  ];
  return checks.filter(([holds]) => !holds).map(([, violation]) => violation);
};

const isEmptySet = (capabilities: string): boolean => /^0+$/.test(capabilities);

const isReadOnly = (writable: readonly string[]): boolean =>
  writable.every((folder) => folder === ALWAYS_WRITABLE);

/** Program that prints the `PodReport` of the container in which it runs. */
export const REPORT_PROGRAM = `
const fs = require('node:fs');
const status = Object.fromEntries(
  fs.readFileSync('/proc/1/status', 'utf8').split('\\n').map((line) => line.split(/:\\s*/)),
);
const canWrite = (folder) => {
  try {
    fs.rmdirSync(fs.mkdtempSync(folder + '/report-'));
    return true;
  } catch {
    return false;
  }
};
const limits = ['/sys/fs/cgroup/memory.max', '/sys/fs/cgroup/memory/memory.limit_in_bytes'];
console.log(JSON.stringify({
  uid: Number(status.Uid.split('\\t')[0]),
  gid: Number(status.Gid.split('\\t')[0]),
  effectiveCapabilities: status.CapEff,
  boundingCapabilities: status.CapBnd,
  noNewPrivileges: status.NoNewPrivs,
  seccomp: status.Seccomp,
  writable: ['', '/app', '/etc', '/tmp', '/var/tmp', '/run', '/run/witan', '/dev/shm', '/home']
    .filter(canWrite),
  memoryLimitBytes: Number(fs.readFileSync(limits.find(fs.existsSync), 'utf8')),
  hasToken: fs.existsSync('/var/run/secrets/kubernetes.io/serviceaccount/token'),
}));
`;
