import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { runWitan } from './run-witan.ts';

describe('witan serve', () => {
  it('reports a missing broker and a missing database together', async () => {
    const { code, stdout, stderr } = await runWitan(['serve', 'simulation'], {});
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/DATABASE_URL is required[^]*NATS_URL is required/);
  });

  it.each(['agents', 'notifier', 'simulation'])('requires a broker for %s', async (service) => {
    const { code, stderr } = await runWitan(['serve', service], {
      DATABASE_URL: 'postgres://nobody@127.0.0.1/none',
      WITAN_SECRETS_KEY: randomBytes(32).toString('base64'),
      WITAN_SERVICE_KEY_FILE: 'key.pem',
      WITAN_SERVICE_PUBLIC_KEYS: 'keys.json',
      LLM_GATEWAY_ADDRESS: 'llm-gateway:50051',
      AGENTS_ADDRESS: 'agents:50051',
    });
    expect([code, stderr]).toEqual([2, expect.stringContaining('NATS_URL is required')]);
  });
});
