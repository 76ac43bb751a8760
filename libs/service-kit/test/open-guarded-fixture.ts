import { parseTargetPolicy } from '../src/outbound/target-policy.ts';
import type { OutboundCall } from '../src/outbound/create-guarded-client.ts';
import { createTestCertificate } from '@witan/testing/create-test-certificate';
import type { TestCertificate } from '@witan/testing/create-test-certificate';
import { openHostileReceiver } from './open-hostile-receiver.ts';
import type { HostileReceiver } from './open-hostile-receiver.ts';

export const RECEIVER = 'receiver.fixture';

export const openGuardedFixture = async (
  certificate: TestCertificate = createTestCertificate([RECEIVER]),
): Promise<HostileReceiver & { ca: string; urlOf: (path: string) => string }> => {
  const receiver = await openHostileReceiver(certificate);
  const urlOf = (path: string): string => `https://${RECEIVER}:${receiver.port}/${path}`;
  return { ...receiver, ca: certificate.cert, urlOf };
};

export const LISTED = parseTargetPolicy([RECEIVER], 'production');

export const onLoopback = async (): Promise<string[]> => ['127.0.0.1'];

export const callOf = (url: string, call: Partial<OutboundCall> = {}): OutboundCall => ({
  url,
  scope: 'workspace',
  headers: { 'content-type': 'application/json' },
  body: '{"a":1}',
  timeoutMs: 5_000,
  bodyBytesMax: 1_024,
  oversizedBody: 'fail',
  ...call,
});
