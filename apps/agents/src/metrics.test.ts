import { describe, expect, it } from '@jest/globals';
import type { Log } from '@witan/service-kit';
import { createCallRecorder } from './metrics.ts';
import type { CalledTool } from './tool/run-tool.ts';

const CALL: CalledTool = {
  workspaceId: 'ws_1',
  toolId: 'tol_1',
  name: 'desk__search',
  status: 'ok',
  httpStatus: 200,
  durationMs: 12.3,
  failure: null,
  mcpServerId: 'mcs_1',
};

const open = (saveMcpCall: (call: CalledTool) => Promise<void>) => {
  const measured: CalledTool[] = [];
  const errors: object[] = [];
  const log = { debug: () => {}, error: (fields: object) => void errors.push(fields) };
  const record = createCallRecorder({
    metrics: { onCalled: (call) => void measured.push(call) },
    log: log as unknown as Log,
    saveMcpCall,
  });
  return { record, measured, errors };
};

describe('the recorder of tool calls', () => {
  it('measures and publishes a call', async () => {
    const saved: CalledTool[] = [];
    const { record, measured, errors } = open(async (call) => void saved.push(call));
    await record(CALL);
    expect([saved, measured, errors]).toEqual([[CALL], [CALL], []]);
  });

  it('logs an event that cannot be written, and resolves', async () => {
    const err = new Error('no database');
    const { record, measured, errors } = open(() => Promise.reject(err));
    await expect(record(CALL)).resolves.toBeUndefined();
    expect(measured).toEqual([CALL]);
    const { workspaceId, toolId, mcpServerId } = CALL;
    expect(errors).toEqual([{ event: 'mcp_event_failed', err, workspaceId, toolId, mcpServerId }]);
  });
});
