import { describe, expect, it } from '@jest/globals';
import { createLoggingExporter } from './logging-exporter.ts';

describe('an exporter', () => {
  it('tells of a collector that is away once a minute, and when it is back', () => {
    const lines: [string, unknown][] = [];
    let at = 0;
    let code = 1;
    const log = {
      info: (fields: object, text: string) => void lines.push([text, fields]),
      warn: (fields: object, text: string) => void lines.push([text, fields]),
    };
    const error = new Error('connect ECONNREFUSED');
    const told = createLoggingExporter(
      {
        export: (_spans, onResult) => onResult(code === 0 ? { code } : { code, error }),
        shutdown: async () => {},
      },
      log,
      () => at,
    );
    const results: number[] = [];
    const send = (count: number): void =>
      told.export(Array.from({ length: count }) as never, (result) => results.push(result.code));
    send(3);
    send(4);
    at = 60_000;
    send(5);
    code = 0;
    send(6);
    send(7);
    expect(results).toEqual([1, 1, 1, 0, 0]);
    expect(lines).toEqual([
      ['Spans could not be exported', { event: 'span_export_failed', err: error, lostSpans: 3 }],
      ['Spans could not be exported', { event: 'span_export_failed', err: error, lostSpans: 12 }],
      ['Spans are exported again', { event: 'span_export_recovered', lostSpans: 12 }],
    ]);
  });
});
