import { describe, expect, it } from '@jest/globals';
import { fetchAudit, runScanner } from './scan-image.ts';

const notFound = async (): Promise<never> => {
  throw new Error('spawn ENOENT');
};

describe('runScanner', () => {
  it('says that Debian packages are not checked if there is no scanner', async () => {
    expect(await runScanner(notFound, '/image')).toEqual({
      failures: [],
      notes: [expect.stringContaining('neither trivy nor grype')],
    });
  });

  it('fails with the report of the scanner', async () => {
    const run = async (command: string, argv: readonly string[]): Promise<string> => {
      if (command !== 'grype') return notFound();
      if (argv[0] === '--version') return 'grype 1';
      throw Object.assign(new Error('exit 2'), { stdout: 'libssl3 CVE' });
    };
    expect((await runScanner(run, '/image')).failures).toEqual(['grype failed:\nlibssl3 CVE']);
  });
});

describe('fetchAudit', () => {
  const failWith = (stdout: string) => async (): Promise<never> => {
    throw Object.assign(new Error('exit 1'), { stdout });
  };

  it('returns the advisories, with which npm fails', async () => {
    const audit = { vulnerabilities: {} };
    expect(await fetchAudit('.', failWith(JSON.stringify(audit)))).toEqual(audit);
  });

  it('throws without a result, so that a scan without network does not pass', async () => {
    await expect(fetchAudit('.', notFound)).rejects.toThrow('ENOENT');
    const body = JSON.stringify({ message: 'no network' });
    await expect(fetchAudit('.', failWith(body))).rejects.toThrow('no network');
  });
});
