import { describe, expect, it } from '@jest/globals';
import { loadConfig } from './config.ts';

const ENV = {
  DATABASE_URL: 'postgres://127.0.0.1/witan',
  NATS_URL: 'nats://127.0.0.1:4222',
  WITAN_SECRETS_KEY: Buffer.alloc(32).toString('base64'),
  WITAN_SERVICE_KEY_FILE: 'key.pem',
  WITAN_SERVICE_PUBLIC_KEYS: 'keys.json',
};
const LEDGER_ADDRESS = 'dns:///ledger:50051';

describe('the configuration of the notifier', () => {
  it('carries nothing without the address of the ledger', () => {
    const config = loadConfig(ENV);
    expect([config.isCarrying, config.process.addresses]).toEqual([false, {}]);
  });

  it('carries with the address of the ledger', () => {
    const config = loadConfig({ ...ENV, LEDGER_ADDRESS });
    expect(config.isCarrying).toBe(true);
    expect(config.process.addresses).toEqual({ ledger: LEDGER_ADDRESS });
  });

  it('carries without an address if all services run in one process', () => {
    expect(loadConfig(ENV, { requiresBroker: false }).isCarrying).toBe(true);
  });
});
