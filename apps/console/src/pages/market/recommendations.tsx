import { Card, Cards } from '../../ui/card.tsx';
import { Badge } from '../../ui/page-state.tsx';
import type { Tone } from '../../ui/page-state.tsx';
import { Section } from '../../ui/page.tsx';
import { Points } from './competitors.tsx';
import { byPriority } from './figures.ts';
import type { Analysis } from './market-query.ts';
import css from './market.module.css';

type Recommendation = Analysis['recommendations'][number];

const PRIORITIES: Readonly<Record<Recommendation['priority'], { label: string; tone: Tone }>> = {
  high: { label: 'High priority', tone: 'warn' },
  medium: { label: 'Medium priority', tone: 'info' },
  low: { label: 'Low priority', tone: 'neutral' },
};

type RecommendationsProps = { recommendations: Analysis['recommendations'] };

export const Recommendations = ({ recommendations }: RecommendationsProps) => (
  <Section title="Recommendations">
    {recommendations.length === 0 ? (
      <p className="muted">The model made no recommendations.</p>
    ) : (
      <Cards isOrdered>
        {byPriority(recommendations).map((recommendation, index) => (
          <RecommendationCard key={index} recommendation={recommendation} />
        ))}
      </Cards>
    )}
  </Section>
);

const RecommendationCard = ({ recommendation }: { recommendation: Recommendation }) => {
  const { title, rationale, priority, effort, impact, timeframe, risks, kpis } = recommendation;
  const facts = [
    ['Effort', effort],
    ['Impact', impact],
    ['Timeframe', timeframe],
  ] as const;
  return (
    <Card
      title={title}
      badge={<Badge tone={PRIORITIES[priority].tone}>{PRIORITIES[priority].label}</Badge>}
    >
      {rationale !== null && <p>{rationale}</p>}
      <Points title="Risks" points={risks} />
      <Points title="Measured by" points={kpis} />
      {facts.some(([, text]) => text !== null) && (
        <dl className={css.facts}>
          {facts.map(
            ([name, text]) =>
              text !== null && (
                <div key={name} className={css.fact}>
                  <dt>{name}</dt>
                  <dd>{text}</dd>
                </div>
              ),
          )}
        </dl>
      )}
    </Card>
  );
};
