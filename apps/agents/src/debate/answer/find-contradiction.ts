import { sideOf } from '../debate.ts';
import type { Answer, Contradiction, Issue } from '../debate.ts';
import { contentWordsOf } from '../synthesis/choose-point.ts';
import { openingOf, splitSentences } from './opening-of.ts';

type Claim = Pick<Contradiction, 'statement' | 'says'>;

/** Number of sentences at the start of the content that are expected to give the view. */
const SENTENCES = 2;
/** Smallest share of a decision's content words in a sentence that is about the decision. */
const SHARE_MIN = 0.6;

/**
 * Returns the contradiction between an agent's stance on the decision and what its conclusion and
 * the first sentences of its content say of it: that begins with yes or no, says that the decision
 * should or should not be taken or is a good or bad one, or that the agent is for or against it, in
 * English, German, Spanish or French. Returns undefined if nothing is said plainly, if it is said
 * under a condition, or if the sentences disagree with each other.
 */
export const findContradiction = (
  { content, position, stances }: Pick<Answer, 'content' | 'position' | 'stances'>,
  decision: Issue,
): Contradiction | undefined => {
  const vote = stances.find(({ issueId }) => issueId === decision.id);
  if (!vote) return undefined;
  const first = splitSentences(content).slice(0, SENTENCES);
  const claims = [...first, ...splitSentences(position)].flatMap((sentence) =>
    findClaims(sentence, decision),
  );
  const [claim] = claims;
  if (!claim || claims.some(({ says }) => says !== claim.says)) return undefined;
  const votes = sideOf(vote.stance);
  if (votes === claim.says) return undefined;
  const opening = openingOf(content);
  // "No." is quoted with what follows it.
  const statement = opening.startsWith(claim.statement) ? opening : claim.statement;
  return { issueId: decision.id, statement, says: claim.says, votes };
};

const findClaims = (statement: string, decision: Issue): Claim[] => {
  const stated = statement.replaceAll(QUOTED, '').split(REASON, 1)[0]!;
  const judgement = JUDGEMENT.exec(stated);
  // Without the judgement, because "would be a mistake" states no condition.
  const advice = judgement ? stated.replace(judgement[0], ' ') : stated;
  if (statement.endsWith('?') || isConditional(advice, decision)) return [];
  const sides = [
    ...(judgement && isAbout(advice, decision) ? readJudgement(judgement, advice) : []),
    ...(YES.test(advice) ? (['for'] as const) : []),
    ...(NO.test(advice) ? (['against'] as const) : []),
    ...SIDES.filter(({ pattern }) => pattern.test(advice)).map(({ says }) => says),
    ...(isAbout(advice, decision) ? readAdvice(beforeAlternative(advice, decision)) : []),
  ];
  return sides.map((says) => ({ statement, says }));
};

/** Returns advice on the decision without what it is preferred to, which may be negative. */
const beforeAlternative = (advice: string, decision: Issue): string => {
  const [head] = advice.split(ALTERNATIVE, 1) as [string];
  return isAbout(head, decision) ? head : advice;
};

/** Returns a pattern that matches whole words; `\b` knows the letters of ASCII only. */
const words = (alternatives: string): RegExp =>
  new RegExp(String.raw`(?<![\p{L}\p{N}])(?:${alternatives})(?![\p{L}\p{N}])`, 'giu');

/** No quotation contains another beginning of one, so that many of them take linear time. */
const QUOTED = /“[^“”]*”|„[^„“]*“|«[^«»]*»|"[^"]*"/gu;
/** Words after which a sentence gives reasons, with conditions of their own. */
const REASON = words(
  'because|since|as|weil|da|denn|porque|ya que|pues|dado que|parce que|puisque|car|étant donné',
);
const ALTERNATIVE = words('instead of|rather than|statt|anstatt|en lugar de|en vez de|au lieu de');
/** Words that make a statement conditional, relative or a matter to be examined. */
const CONDITION = words(
  [
    'if|unless|until|only|whether|would|could|might|may|depends?|consider|evaluate|weigh|analy[sz]e',
    'assess|examine|determine|decide|discuss|understand|explore|question',
    'wenn|falls|ob|nur|bis|sofern|solange|könnten?|würden?|hängt|abwägen|prüfen|klären',
    'si|salvo|solo|sólo|hasta|podría|podrían|depende|considerar|evaluar|sopesar|analizar',
    'sauf|seulement|pourraient?|dépend|considérer|évaluer|peser|analyser',
  ].join('|'),
);

/** Words that the decision itself contains do not make a sentence about it conditional. */
const isConditional = (sentence: string, { proposition }: Issue): boolean => {
  const conditionsOf = (text: string): string[] => text.toLowerCase().match(CONDITION) ?? [];
  const own = new Set(conditionsOf(proposition));
  return conditionsOf(sentence).some((word) => !own.has(word));
};

const YES = /^[¡"'“«]?(?:yes|ja|sí|oui)\s*[,.;:!–—-]/iu;
const NO = /^[¡"'“«]?(?:no|nein|non)\s*[,.;:!–—-]/iu;

const SELF = 'I am|I.m|we are|we.re|ich bin|wir sind|estoy|estamos|je suis|nous sommes';
const DEGREE =
  '(?: (?:clearly|strongly|firmly|rather|klar|eher|claramente|más bien|clairement|plutôt))?';
const OBJECT = '(?: (?:it|this|that|of it|of this))?';
const toSide = (alternatives: string, says: Claim['says']) => ({
  pattern: new RegExp(
    String.raw`(?:^|(?<![\p{L}\p{N}])(?:${SELF}))${DEGREE} ?(?:${alternatives})${OBJECT}` +
      String.raw`\s*(?:[,.;:!]|$)`,
    'iu',
  ),
  says,
});
const SIDES = [
  toSide('for|in favou?r|dafür|a favor|pour', 'for'),
  toSide('against|opposed|opposed to|dagegen|en contra|contre', 'against'),
];

const isAbout = (sentence: string, { proposition }: Issue): boolean => {
  const wanted = [...contentWordsOf(proposition)];
  const present = contentWordsOf(sentence);
  const shared = wanted.filter((word) => present.has(word)).length;
  return wanted.length > 0 && shared / wanted.length >= SHARE_MIN;
};

const JUDGED_GOOD = [
  'recommended|beneficial|advantageous|advisable|wise|prudent|sensible|worthwhile|essential|necessary',
  'an? (?:very )?good (?:idea|decision|move|step)|the right (?:decision|move|step|thing)',
  'sinnvoll|ratsam|empfehlenswert|vernünftig|notwendig|richtig',
  'eine (?:sehr )?gute (?:idee|entscheidung)',
  'recomendable|conveniente|beneficioso|sensato|necesario|una (?:muy )?buena (?:idea|decisión)',
  'recommandé|judicieux|bénéfique|nécessaire|une (?:très )?bonne (?:idée|décision)',
].join('|');
const JUDGED_BAD = [
  'counter-?productive|harmful|detrimental|unwise|imprudent|inadvisable|premature|reckless',
  'unnecessary|too (?:risky|early|soon|costly|expensive)|an? (?:\\p{L}+ )?mistake',
  'an? (?:very )?bad (?:idea|decision|move|step)|the wrong (?:decision|move|step|thing)',
  'kontraproduktiv|schädlich|unklug|verfrüht|unnötig|falsch|zu (?:riskant|früh|teuer)',
  'ein (?:\\p{L}+ )?fehler|eine schlechte (?:idee|entscheidung)',
  'contraproducente|perjudicial|imprudente|prematuro|innecesario|un (?:\\p{L}+ )?error',
  'demasiado (?:arriesgado|pronto|caro)|una mala (?:idea|decisión)',
  'contre-?productif|prématuré|inutile|une (?:\\p{L}+ )?erreur|trop (?:risqué|tôt|cher)',
  'une mauvaise (?:idée|décision)',
].join('|');
/** Judgements that count only if they are denied: what is feasible may still be unwise. */
const JUDGED_POSSIBLE =
  'feasible|possible|viable|affordable|realistic|machbar|möglich|tragbar|realistisch|factible|' +
  'posible|faisable|possible|réaliste';
const ADVERB =
  '(?: (?:very|far|much|clearly|simply|highly|completely|sehr|viel|klar|muy|claramente|très|bien))*';
/** A judgement of the decision, as in "would be a mistake" or "is not a good idea". */
const JUDGEMENT = new RegExp(
  String.raw`(?<!\p{L})(?<no>no )?(?:ne |n['’])?(?:is|are|(?:would|will) be|ist|sind|wäre|wären|` +
    String.raw`es|sería|resulta|est|serait)(?<not>n['’]t| not| never| nicht| pas)?${ADVERB} ` +
    String.raw`(?:(?<good>${JUDGED_GOOD})|(?<bad>${JUDGED_BAD})|${JUDGED_POSSIBLE})(?!\p{L})`,
  'iu',
);

/** "Not a mistake" supports nothing, and "not raising prices is a mistake" judges the contrary. */
const readJudgement = ({ groups = {} }: RegExpExecArray, advice: string): Claim['says'][] => {
  const { no, not, good, bad } = groups;
  const isDenied = (no ?? not) !== undefined;
  if ([NEGATIVE, CONTRACTED].some((pattern) => advice.search(pattern) >= 0)) return [];
  if (isDenied) return bad === undefined ? ['against'] : [];
  if (bad !== undefined) return ['against'];
  return good === undefined ? [] : ['for'];
};

const MODAL = words(
  [
    'should|must|ought to|recommend|advise',
    'sollten?|sollen?|müssen|muss|empfehle|empfehlen',
    'debemos|deberíamos|debe|debería|hay que|conviene|recomiendo|recomendamos',
    'devons|devrions|doit|devrait|il faut|recommande|recommandons',
  ].join('|'),
);
/** Denials of such advice; other sentences with a negative word are not judged. */
const DENIED = words(
  [
    String.raw`(?:should|must|ought|need)(?: ?n.t| not| never)`,
    '(?:do not|don.t) recommend|advise against',
    String.raw`(?:sollten?|sollen?|dürfen|darf)(?: \S+){0,9} nicht`,
    String.raw`nicht(?: \S+){0,3} (?:sollten?|sollen?)`,
    'no (?:debemos|deberíamos|debe|debería|hay que|conviene|recomiendo|recomendamos)',
    String.raw`(?:ne|n.) ?(?:devons|devrions|doit|devrait|faut|recommande|recommandons) pas`,
  ].join('|'),
);
const NEGATIVE = words(
  [
    'not|no|never|n.t|without|instead|rather than|avoid|refrain|stop|delay|postpone|wait',
    'rejects?|before',
    'nicht|kein\\p{L}*|nie|ohne|statt|vermeiden|verzichten|warten|verschieben|ablehnen|bevor',
    'nunca|sin|en lugar|evitar|esperar|aplazar|rechazar|antes',
    'ne|pas|jamais|sans|au lieu|éviter|attendre|reporter|refuser|avant',
  ].join('|'),
);

const readAdvice = (sentence: string): Claim['says'][] => {
  const has = (pattern: RegExp): boolean => sentence.search(pattern) >= 0;
  if (has(DENIED)) return ['against'];
  return has(MODAL) && !has(NEGATIVE) && !has(CONTRACTED) ? ['for'] : [];
};

const CONTRACTED = /n['’]t\b/u;
