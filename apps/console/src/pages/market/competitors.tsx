import { Card, Cards } from '../../ui/card.tsx';
import { Badge } from '../../ui/page-state.tsx';
import { Section } from '../../ui/page.tsx';
import { formatPercent, formatShare } from './figures.ts';
import type { Analysis } from './market-query.ts';
import css from './market.module.css';

type Competitor = Analysis['competitors'][number];

export const Competitors = ({ competitors }: { competitors: readonly Competitor[] }) => (
  <Section title="Competitors">
    {competitors.length === 0 ? (
      <p className="muted">The model named no competitors.</p>
    ) : (
      <Cards>
        {competitors.map((competitor) => (
          <CompetitorCard key={competitor.name} competitor={competitor} />
        ))}
      </Cards>
    )}
  </Section>
);

const CompetitorCard = ({ competitor }: { competitor: Competitor }) => {
  const { name, description, positioning, strengths, weaknesses, pricing } = competitor;
  const { estimatedSharePct, evidence, confidence } = competitor;
  return (
    <Card
      title={name}
      badge={
        <Badge tone={evidence === 'provided' ? 'good' : 'neutral'}>
          {evidence === 'provided' ? 'You named it' : 'From the model’s memory'}
        </Badge>
      }
    >
      {positioning !== null && <p>{positioning}</p>}
      {description !== null && <p>{description}</p>}
      <Points title="Strengths" points={strengths} />
      <Points title="Weaknesses" points={weaknesses} />
      {pricing !== null && (
        <p>
          <strong>Pricing:</strong> {pricing}
        </p>
      )}
      <p className={css.small}>
        {estimatedSharePct !== null && `Share about ${formatPercent(estimatedSharePct)}. `}
        Confidence {formatShare(confidence)}
      </p>
    </Card>
  );
};

type PointsProps = { title: string; points: readonly string[] };

/** A titled list, which is left out if it is empty. */
export const Points = ({ title, points }: PointsProps) =>
  points.length > 0 && (
    <div>
      <h4 className={css.pointsTitle}>{title}</h4>
      <ul className={css.points}>
        {points.map((point) => (
          <li key={point}>{point}</li>
        ))}
      </ul>
    </div>
  );
