import { expect, it } from '@jest/globals';
import { REPORT_SCHEMA } from './describe-report-task.ts';

/** llama.cpp refuses a schema with a text of this length or more. */
const LENGTH_REFUSED = 2_000;

it('asks for no text that is too long for the grammars of llama.cpp', () => {
  const { summary, risks, recommendations } = REPORT_SCHEMA.properties;
  for (const { maxLength } of [summary, risks.items, recommendations.items]) {
    expect(maxLength).toBeLessThan(LENGTH_REFUSED);
  }
});
