import { describe, expect, it } from '@jest/globals';
import { createLoggingExporter } from './open-export.ts';

describe('createLoggingExporter', () => {
  it('logs export failures once a minute, and the recovery', () => {
    const lines: [string, unknown][] = [];
    let nowMs = 0;
    let code = 1;
    const log = {
      info: (fields: object, text: string) => void lines.push([text, fields]),
      warn: (fields: object, text: string) => void lines.push([text, fields]),
    };
    const error = new Error('connect ECONNREFUSED');
    const loggingExporter = createLoggingExporter(
      {
        export: (_spans, onResult) => onResult(code === 0 ? { code } : { code, error }),
        shutdown: async () => {},
      },
      log,
      () => nowMs,
    );
    const results: number[] = [];
    const exportSpans = (count: number): void =>
      loggingExporter.export(Array.from({ length: count }) as never, (result) =>
        results.push(result.code),
      );
    exportSpans(3);
    exportSpans(4);
    nowMs = 60_000;
    exportSpans(5);
    code = 0;
    exportSpans(6);
    exportSpans(7);
    expect(results).toEqual([1, 1, 1, 0, 0]);
    expect(lines).toEqual([
      ['Span export failed', { event: 'span_export_failed', err: error, lostSpans: 3 }],
      ['Span export failed', { event: 'span_export_failed', err: error, lostSpans: 12 }],
      ['Span export recovered', { event: 'span_export_recovered', lostSpans: 12 }],
    ]);
  });
});
