import { describe, expect, it } from '@jest/globals';
import { findPodViolations } from './judge-pod.ts';
import type { PodReport } from './judge-pod.ts';

const expected = { memoryLimitBytes: 536_870_912 };
/** Recorded in a pod of the ledger. */
const report: PodReport = {
  uid: 65_532,
  gid: 65_532,
  effectiveCapabilities: '0000000000000000',
  boundingCapabilities: '0000000000000000',
  noNewPrivileges: '1',
  seccomp: '2',
  writable: ['/dev/shm'],
  memoryLimitBytes: 536_870_912,
  hasToken: false,
};

describe('findPodViolations', () => {
  it('finds nothing in a restricted pod', () => {
    expect(findPodViolations(report, expected)).toEqual([]);
  });

  it.each([
    ['root', { uid: 0 }, 'runs as 0:65532'],
    [
      'a capability',
      { effectiveCapabilities: '00000000a80425fb' },
      'capabilities 00000000a80425fb',
    ],
    ['a capability to regain', { boundingCapabilities: '0000000000000400' }, 'bounding set'],
    ['setuid programs', { noNewPrivileges: '0' }, 'may gain privileges'],
    ['no system call filter', { seccomp: '0' }, 'seccomp mode 0'],
    ['a writable folder', { writable: ['/tmp', '/dev/shm'] }, 'writable: /tmp'],
    ['no memory limit', { memoryLimitBytes: 9_223_372_036_854_772_000 }, 'memory limit'],
    ['a token', { hasToken: true }, 'token'],
  ])('finds %s', (_, change, message) => {
    expect(findPodViolations({ ...report, ...change }, expected)).toEqual([
      expect.stringContaining(message),
    ]);
  });
});
