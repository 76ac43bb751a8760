import { hash } from 'node:crypto';
import { termsOf } from './terms.ts';

/**
 * Arguments for and against any proposal, for personas whose instructions contain these words.
 * `tilt`, from -1 to 1, is added to every leaning.
 */
type Lens = { words: RegExp; tilt: number; benefit: string; harm: string };

const LENSES: readonly Lens[] = [
  {
    words: /\b(?:money|cash|cost|budget|margin|financ|profit|treasur|account)/iu,
    tilt: -0.2,
    benefit: 'it pays for itself soon enough',
    harm: 'its cost takes too long to come back',
  },
  {
    words: /\b(?:market|grow|strateg|win|compet|ambiti|vision|sales)/iu,
    tilt: 0.4,
    benefit: 'it moves before rivals do',
    harm: 'rivals can copy it within a month',
  },
  {
    words: /\b(?:customer|client|user|use|product|design|patient|reader|service)/iu,
    tilt: 0.1,
    benefit: 'customers notice it and are better off',
    harm: 'customers bear it before they gain from it',
  },
  {
    words: /\b(?:operat|deliver|capacity|process|engineer|weeks?|logist|staff|team)/iu,
    tilt: -0.1,
    benefit: 'it can be done in small steps',
    harm: 'the teams that it needs are already full',
  },
  {
    words: /\b(?:wrong|risk|doubt|sceptic|skeptic|advocate|critic|audit|legal|complian)/iu,
    tilt: -0.4,
    benefit: 'it has worked for others',
    harm: 'it rests on an unchecked assumption',
  },
];

const NAME = /\b[Yy]ou are (?<name>[\p{Lu}\p{Lo}][^\s,.]*(?: [\p{Lu}\p{Lo}][^\s,.]*){0,3})[,.]/u;
/** Range of the random part of a leaning. */
const SPREAD = 2;

/**
 * Reads a persona from system instructions; its name is empty if they give none. Its own lens,
 * `lensAt(0)`, is the one whose words occur first, or one by chance if none occur. It leans towards
 * a statement, from -1 to 1, by the tilt of the lens and by chance, a hash of the persona and the
 * terms of the statement.
 */
export const readPersona = (instructions: string) => {
  const name = NAME.exec(instructions)?.groups?.['name'] ?? '';
  const seed = `${name}\n${instructions.split('\n', 1)[0]}\n`;
  const chance = (text: string): number =>
    hash('sha256', seed + text, 'buffer').readUInt32BE() / 2 ** 32;
  const starts = LENSES.map(({ words }, index) => ({ index, start: instructions.search(words) }));
  const [first] = starts.filter(({ start }) => start >= 0).toSorted((a, b) => a.start - b.start);
  const own = first?.index ?? Math.floor(chance('lens') * LENSES.length);
  const lensAt = (index: number): Lens => LENSES[(own + index) % LENSES.length]!;
  const lean = (statement: string): number => {
    const terms = [...termsOf(statement)].toSorted().join(' ');
    return Math.min(1, Math.max(-1, lensAt(0).tilt + (chance(terms) - 0.5) * SPREAD));
  };
  return { name, chance, lean, lensAt };
};
