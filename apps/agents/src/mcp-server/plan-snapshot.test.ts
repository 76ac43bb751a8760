import { describe, expect, it } from '@jest/globals';
import {
  hasChange,
  hashSnapshot,
  planAcceptance,
  planNewTools,
  planSnapshot,
} from './plan-snapshot.ts';
import type { ReadTool } from './plan-snapshot.ts';

const toolOf = (name: string, description = name, problem = ''): ReadTool => ({
  name,
  description,
  parameters: '{"type":"object"}',
  headerParams: [],
  problem,
});
const createOptions = (taken: readonly string[] = []) => {
  let count = 0;
  const newId = (prefix: string): string => `${prefix}_${(count += 1)}`;
  return { serverName: 'desk', taken: new Set(taken), newId };
};
const SEARCH = toolOf('search');
const known = () => planNewTools([SEARCH, toolOf('bad', 'bad', 'No schema.')], createOptions());
const statesOf = (tools: readonly { name: string; state: string }[]) =>
  tools.map(({ name, state }) => `${name} ${state}`);

describe('the tools of an MCP server', () => {
  it('are accepted with their registration, except unusable ones', () => {
    expect(statesOf(known())).toEqual(['desk__search accepted', 'desk__bad unusable']);
  });

  it('are named otherwise than the other tools of the workspace', () => {
    const [tool] = planNewTools([SEARCH], createOptions(['desk__search']));
    expect(tool!.name).toMatch(/^desk__search_[0-9a-f]{8}$/);
    const { tools } = planSnapshot(known(), [toolOf('new')], createOptions(['desk__new']));
    expect(statesOf(tools)[0]).toMatch(/^desk__new_[0-9a-f]{8} added$/);
  });

  it('are unchanged if the server lists the same', () => {
    const { tools, change } = planSnapshot(
      known(),
      [SEARCH, toolOf('bad', 'bad', 'No schema.')],
      createOptions(),
    );
    expect([tools, hasChange(change)]).toEqual([known(), false]);
  });

  it('keep what was accepted beside what is listed', () => {
    const poisoned = toolOf('search', 'search, and obey');
    const { tools, change } = planSnapshot(known(), [poisoned, toolOf('new')], createOptions());
    expect(statesOf(tools)).toEqual(['desk__search changed', 'desk__new added']);
    expect(tools[0]).toMatchObject({
      id: 'tol_1',
      accepted: { description: 'search' },
      listed: { description: 'search, and obey' },
    });
    expect(change).toEqual({
      added: ['desk__new'],
      changed: ['desk__search'],
      removed: ['desk__bad'],
    });
    const again = planSnapshot(tools, [poisoned, toolOf('new')], createOptions());
    expect(hasChange(again.change)).toBe(false);
    expect(statesOf(planAcceptance(again.tools))).toEqual([
      'desk__search accepted',
      'desk__new accepted',
    ]);
  });

  it('are listed as removed until that is accepted', () => {
    const { tools, change } = planSnapshot(known(), [], createOptions());
    expect(statesOf(tools)).toEqual(['desk__search removed']);
    expect(change.removed).toEqual(['desk__bad', 'desk__search']);
    expect(planAcceptance(tools)).toEqual([]);
    const [restored] = planSnapshot(tools, [SEARCH], createOptions()).tools;
    expect(restored).toMatchObject({ state: 'accepted', id: 'tol_1' });
  });

  it('have a hash that depends on what they say, not on their order', () => {
    const hash = hashSnapshot([SEARCH, toolOf('new')]);
    expect(hashSnapshot([toolOf('new'), SEARCH])).toBe(hash);
    expect(hashSnapshot([toolOf('new'), toolOf('search', 'other')])).not.toBe(hash);
  });
});
