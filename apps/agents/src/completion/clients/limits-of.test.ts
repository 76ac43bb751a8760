import { describe, expect, it } from '@jest/globals';
import { ServiceError } from '@witan/contracts';
import { createLimitsOf } from './limits-of.ts';

const SETTINGS = { contextTokens: 128_000, completionTimeoutMs: 600_000 };
const CALL = { address: { model: 'service-sensitive' } as never };

describe('limits that the llm-gateway does not report', () => {
  it('are those of a hosted model, and logged', async () => {
    const logged: object[] = [];
    const err = new ServiceError('UNAVAILABLE', 'down');
    const limits = { getModelLimits: () => Promise.reject(err) };
    const limitsOf = createLimitsOf(limits, SETTINGS, { warn: (fields) => logged.push(fields) });
    const { contextTokens, toTimeoutMs } = await limitsOf(CALL, { workspaceId: 'ws_a' });
    expect([contextTokens, toTimeoutMs(90_000, { tokens: 500 })]).toEqual([128_000, 90_000]);
    expect(logged).toEqual([{ event: 'model_limits_unknown', err, workspaceId: 'ws_a' }]);
  });
});
