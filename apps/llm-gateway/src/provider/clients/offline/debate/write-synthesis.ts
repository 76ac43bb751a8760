import { DISCLOSURE } from '../gather-sentences.ts';
import { joinList } from './join-list.ts';

type TableIssue = {
  readonly id: string;
  readonly verdict: string;
  readonly for: readonly string[];
  readonly against: readonly string[];
  readonly undecided: readonly string[];
  readonly noStance: readonly string[];
  readonly dissent: readonly string[];
};

/** Matches `[i1] verdict: split (0, from -1 to 1)` and `[i1] for: [A], [B]`. */
const TABLE_LINE =
  /^\[(?<id>i\d{1,3})\] (?<name>verdict|for|against|undecided|no stance|dissent): (?<value>.+)$/gmu;
const MEMBER = /\[[A-Z]{1,2}\]/gu;

/**
 * Returns the synthesis of a council's table as the requested JSON: the verdicts in sentences, and
 * every dissenter. Members and issues are named by the marks of the table, which are replaced for
 * display.
 */
export function writeSynthesis(table: string): Record<string, unknown> {
  const issues = readTable(table);
  const dissenters = [...new Set(issues.flatMap(({ dissent }) => dissent))];
  const paragraphs = [
    issues.map(writeVerdict).join(' '),
    writeDissent(dissenters),
    `${DISCLOSURE}: it puts the count into sentences and adds nothing to it.`,
  ];
  return {
    content: paragraphs.filter((text) => text !== '').join('\n\n'),
    openQuestions: issues
      .filter(({ verdict }) => verdict === 'split')
      .map(({ id }) => `What would settle [${id}]?`),
  };
}

function readTable(table: string): TableIssue[] {
  const rows = new Map<string, Map<string, string>>();
  for (const { groups } of table.matchAll(TABLE_LINE)) {
    const { id = '', name = '', value = '' } = groups!;
    rows.set(id, (rows.get(id) ?? new Map<string, string>()).set(name, value));
  }
  return [...rows].map(([id, named]) => {
    const listed = (name: string): string[] => named.get(name)?.match(MEMBER) ?? [];
    return {
      id,
      verdict: named.get('verdict')?.split(' ')[0] ?? 'split',
      for: listed('for'),
      against: listed('against'),
      undecided: listed('undecided'),
      noStance: listed('no stance'),
      dissent: listed('dissent'),
    };
  });
}

function writeVerdict(issue: TableIssue): string {
  const sides = [
    ['for', issue.for],
    ['against', issue.against],
    ['undecided', issue.undecided],
    ['no stance', issue.noStance],
  ] as const;
  const listed = sides
    .filter(([, marks]) => marks.length > 0)
    .map(([side, marks]) => `${side}: ${joinList(marks)}`);
  const who = listed.length === 0 ? '' : ` (${listed.join('; ')})`;
  return `${writeOutcome(issue)} [${issue.id}]${who}.`;
}

function writeOutcome(issue: TableIssue): string {
  const { verdict, for: yes, against: no, undecided, noStance } = issue;
  const count = yes.length + no.length + undecided.length + noStance.length;
  const [side, verb] = verdict === 'supported' ? [yes, 'support'] : [no, 'oppose'];
  if (verdict === 'split') {
    if (noStance.length === count) return 'Nobody took a stance on';
    return yes.length > 0 && no.length > 0 ? 'The council is split on' : 'There is no majority on';
  }
  if (count === 1) return `${side[0] ?? 'Nobody'} ${verb}s`;
  if (side.length === count) return `The council ${verb}s`;
  return 2 * side.length > count
    ? `A majority of the council ${verb}s`
    : `Most of those who took a stance ${verb}`;
}

/** Names the dissenters; the reasons are shown beside the synthesis, in the members' own text. */
function writeDissent(marks: readonly string[]): string {
  if (marks.length === 0) return '';
  return `${joinList(marks)} ${marks.length === 1 ? 'dissents' : 'dissent'}, as is told below.`;
}
