import { DISCLOSURE } from '../gather-sentences.ts';
import { joinWords } from './join-words.ts';

/** An issue as the table tells it; the members are marks. */
type TableIssue = {
  readonly id: string;
  readonly verdict: string;
  readonly for: readonly string[];
  readonly against: readonly string[];
  readonly dissent: readonly string[];
};

/** `[i1] verdict: split (0, from -1 to 1)`, `[i1] for: [A], [B]`. */
const FACT = /^\[(?<id>i\d{1,3})\] (?<name>verdict|for|against|dissent): (?<value>.+)$/gmu;
const MEMBER = /\[[A-Z]{1,2}\]/gu;

const VERBS: Readonly<Record<string, string>> = { supported: 'supports', opposed: 'opposes' };

/**
 * The synthesis over the table of a council, as the JSON that is asked for: its verdicts in
 * sentences, and every dissenter. Members and issues stand as the marks of the table, in whose
 * place the person sees what they are.
 */
export function writeSynthesis(table: string): Record<string, unknown> {
  const issues = readTable(table);
  const dissenters = [...new Set(issues.flatMap(({ dissent }) => dissent))];
  const paragraphs = [
    issues.map(tellVerdict).join(' '),
    tellDissent(dissenters),
    `${DISCLOSURE}: it puts the table of the council into sentences and adds nothing to it.`,
  ];
  return {
    content: paragraphs.filter((text) => text !== '').join('\n\n'),
    openQuestions: issues
      .filter(({ verdict }) => verdict === 'split')
      .map(({ id }) => `What would settle [${id}]?`),
    provider: 'offline',
  };
}

function readTable(table: string): TableIssue[] {
  const facts = new Map<string, Map<string, string>>();
  for (const { groups } of table.matchAll(FACT)) {
    const { id = '', name = '', value = '' } = groups!;
    facts.set(id, (facts.get(id) ?? new Map<string, string>()).set(name, value));
  }
  return [...facts].map(([id, named]) => {
    const listed = (name: string): string[] => named.get(name)?.match(MEMBER) ?? [];
    return {
      id,
      verdict: named.get('verdict')?.split(' ')[0] ?? 'split',
      for: listed('for'),
      against: listed('against'),
      dissent: listed('dissent'),
    };
  });
}

function tellVerdict({ id, verdict, for: yes, against: no }: TableIssue): string {
  const sides = [
    ...(yes.length > 0 ? [`${joinWords(yes)} for it`] : []),
    ...(no.length > 0 ? [`${joinWords(no)} against it`] : []),
  ];
  const who = sides.length === 0 ? 'nobody on a side' : sides.join(', ');
  return `The council ${VERBS[verdict] ?? 'is split on'} [${id}], with ${who}.`;
}

/** On what, and why, stands around the synthesis in their own words. */
function tellDissent(marks: readonly string[]): string {
  if (marks.length === 0) return '';
  return `${joinWords(marks)} ${marks.length === 1 ? 'dissents' : 'dissent'}, as is told below.`;
}
