import type { Bench, BenchPart } from '../bench.ts';
import { runChat } from './chat/run-chat.ts';
import { runRecall } from './recall/run-recall.ts';
import { runTags } from './tags/run-tags.ts';

/** Measures chat turns, the storage of memories, and the parser of memory tags. */
export const runAgents: Bench = async (context) => {
  const parts: BenchPart[] = [];
  for (const run of [runChat, runRecall, runTags]) parts.push(await run(context));
  const byName = <T>(read: (part: BenchPart) => T): Record<string, T> =>
    Object.fromEntries(parts.map((part) => [part.name, read(part)]));
  return {
    config: byName(({ config }) => config),
    rows: parts.flatMap(({ name, rows }) => rows.map((row) => ({ part: name, ...row }))),
    summary: byName(({ summary }) => summary),
    tables: parts.map(({ table }) => table),
    checks: byName(({ checks }) => checks),
    aims: parts.flatMap(({ aims }) => aims),
  };
};
