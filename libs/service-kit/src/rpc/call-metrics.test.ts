import { describe, expect, it } from '@jest/globals';
import { notFound } from '@witan/contracts';
import { Registry } from 'prom-client';
import { createCallMetrics } from './dispatcher.ts';

describe('createCallMetrics', () => {
  it('counts outcomes by method, and measures the duration of all but duplex calls', async () => {
    const registry = new Registry();
    const recordCall = createCallMetrics(registry);
    recordCall({ name: 'a.B/C', isDuplex: false, seconds: 0.02 });
    recordCall({ name: 'a.B/C', isDuplex: false, seconds: 0.2, failure: notFound('x') });
    recordCall({ name: 'a.B/C', isDuplex: false, seconds: 0.2, failure: new Error('a bug') });
    recordCall({ name: 'a.B/D', isDuplex: true, seconds: 3_600 });
    const text = await registry.metrics();
    expect(text.match(/^rpc_server_calls_total\{.*$/gm)).toEqual([
      'rpc_server_calls_total{method="a.B/C",outcome="ok"} 1',
      'rpc_server_calls_total{method="a.B/C",outcome="not_found"} 1',
      'rpc_server_calls_total{method="a.B/C",outcome="internal"} 1',
      'rpc_server_calls_total{method="a.B/D",outcome="ok"} 1',
    ]);
    expect(text.match(/^rpc_server_call_seconds_count.*$/gm)).toEqual([
      'rpc_server_call_seconds_count{method="a.B/C"} 3',
    ]);
  });
});
