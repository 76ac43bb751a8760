import { describe, expect, it } from '@jest/globals';
import { notFound } from '@witan/contracts';
import { Registry } from 'prom-client';
import { createCallMetrics } from './call-metrics.ts';

describe('the meter of calls', () => {
  it('counts outcomes by method, and times what ends by itself', async () => {
    const registry = new Registry();
    const meter = createCallMetrics(registry);
    meter({ name: 'a.B/C', isDuplex: false, seconds: 0.02 });
    meter({ name: 'a.B/C', isDuplex: false, seconds: 0.2, failure: notFound('x') });
    meter({ name: 'a.B/C', isDuplex: false, seconds: 0.2, failure: new Error('a bug') });
    meter({ name: 'a.B/D', isDuplex: true, seconds: 3_600 });
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
