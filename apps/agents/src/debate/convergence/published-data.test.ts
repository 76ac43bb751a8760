import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { answerOf } from '../../../test/answer-of.ts';
import { negationAwareSimilarityOf, similarityOf } from './similarity/to-text-vector.ts';
import { toTextVector } from './similarity/to-text-vector.ts';
import { scoreRound } from './score-round.ts';

// Root of the repository. The human-rated sentence pairs and the debates are stored outside it,
// because their licences forbid a copy; docs/convergence.md describes the data.
const repository = fileURLToPath(new URL('../../../../../../', import.meta.url));
const folder = `${process.env['WITAN_SHARED_DATA'] ?? `${repository}../shared/data`}/likeness`;

const withData = (file: string) => {
  const exists = existsSync(`${folder}/${file}`);
  const skipNote = exists ? '' : ` (skipped: WITAN_SHARED_DATA has no likeness/${file})`;
  if (!exists) process.stderr.write(`apps/agents: published data${skipNote}\n`);
  return { suite: exists ? describe : describe.skip, absent: skipNote };
};

const read = (file: string): string => readFileSync(`${folder}/${file}`, 'utf8').trim();
const rowsOf = (file: string): string[][] =>
  read(file)
    .split(/\r?\n/)
    .map((line) => line.split('\t'));

const STS_FILE = 'stsbenchmark/sts-test.csv';
const SICK_FILE = 'sick2014/SICK_test_annotated.txt';
const PERSPECTIVES = 'perspectrum/perspective_pool_v1.0.json';

const sts = withData(STS_FILE);
sts.suite(`STS-B, its test pairs${sts.absent}`, () => {
  it('have a Pearson correlation with human ratings of at least .72', () => {
    const pairs = rowsOf(STS_FILE).map((row) => ({
      gold: Number(row[4]),
      texts: [row[5]!, row[6]!],
    }));
    expect(pairs).toHaveLength(1379);
    const expectedScores = pairs.map(({ gold }) => gold);
    const figures = pairs.map(({ texts }) => negationAware(texts[0]!, texts[1]!));
    expect(pearson(figures, expectedScores)).toBeGreaterThanOrEqual(0.72);
  });
});

const sickData = withData(SICK_FILE);
sickData.suite(`SICK, its test pairs${sickData.absent}`, () => {
  it('separate entailment from contradiction: AUC of .75 or more, below .5 without negation', () => {
    const pairs = rowsOf(SICK_FILE).slice(1);
    const separationOf = (label: string, compare: typeof negationAware): number[] =>
      pairs.filter((row) => row[4] === label).map((row) => compare(row[1]!, row[2]!));
    const auc = (compare: typeof negationAware): number =>
      areaUnderCurve(separationOf('ENTAILMENT', compare), separationOf('CONTRADICTION', compare));
    expect(auc(negationAware)).toBeGreaterThanOrEqual(0.75);
    expect(auc(plain)).toBeLessThan(0.5);
  });
});

const perspectrum = withData(PERSPECTIVES);
perspectrum.suite(`Perspectrum, its test claims${perspectrum.absent}`, () => {
  it('are scored by stance, not by topic', () => {
    const councils = readCouncils();
    expect(councils.length).toBeGreaterThan(50);
    for (const { united, divided } of councils) {
      expect(united.convergenceScore).toBeGreaterThanOrEqual(0.95);
      expect(divided.convergenceScore).toBeLessThanOrEqual(0.45);
    }
    const difference = meanOf(
      councils.map(({ united, divided }) => {
        return united.report.textSimilarity - divided.report.textSimilarity;
      }),
    );
    expect(Math.abs(difference)).toBeLessThan(0.02);
  });
});

type Claim = { cId: number; perspectives: { pids: number[]; stance_label_3: string }[] };

const readCouncils = () => {
  const pool = new Map(
    (JSON.parse(read(PERSPECTIVES)) as { pId: number; text: string }[]).map(({ pId, text }) => {
      return [pId, text];
    }),
  );
  const split = JSON.parse(read('perspectrum/dataset_split_v1.0.json')) as Record<string, string>;
  const claims = JSON.parse(
    read('perspectrum/perspectrum_with_answers_v1.0.json'),
  ) as readonly Claim[];
  return claims
    .filter(({ cId }) => split[cId] === 'test')
    .flatMap(({ perspectives }) => {
      const texts = (label: string): string[] =>
        perspectives
          .filter(({ stance_label_3 }) => stance_label_3 === label)
          .map(({ pids }) => pool.get(pids[0]!)!);
      const [supportingTexts, underminingTexts] = [texts('SUPPORT'), texts('UNDERMINE')];
      if (supportingTexts.length < 4 || underminingTexts.length < 2) return [];
      return {
        united: score(supportingTexts.slice(0, 4), [1, 1, 1, 1]),
        divided: score(
          [...supportingTexts.slice(0, 2), ...underminingTexts.slice(0, 2)],
          [1, 1, -1, -1],
        ),
      };
    });
};

const score = (texts: readonly string[], stances: readonly number[]) =>
  scoreRound({
    answers: texts.map((position, index) =>
      answerOf(`agt_${index}`, [stances[index]], { position }),
    ),
    issues: [{ id: 'i1', proposition: 'The claim.', weight: 1 }],
    askedCount: texts.length,
    conformityFlips: 0,
  });

const negationAware = (one: string, other: string): number =>
  negationAwareSimilarityOf(toTextVector(one), toTextVector(other));
const plain = (one: string, other: string): number =>
  similarityOf(toTextVector(one), toTextVector(other));

const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

const pearson = (xs: readonly number[], ys: readonly number[]): number => {
  const [meanX, meanY] = [meanOf(xs), meanOf(ys)];
  const products = xs.map((x, index) => (x - meanX) * (ys[index]! - meanY));
  const spread = (values: readonly number[], mean: number): number =>
    Math.sqrt(meanOf(values.map((value) => (value - mean) ** 2)));
  return meanOf(products) / (spread(xs, meanX) * spread(ys, meanY));
};

const areaUnderCurve = (high: readonly number[], low: readonly number[]): number =>
  meanOf(
    high.map((item) =>
      meanOf(
        low.map((other) => {
          if (item === other) return 0.5;
          return Number(item > other);
        }),
      ),
    ),
  );
