import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { isStatus } from '../../api/api-error.ts';
import { canUse, useSession } from '../../app/session.ts';
import { ProofBadges } from '../../proof/proof-badges.tsx';
import { Button, buttonClass } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { EmptyState, Failure, Notice, Skeleton } from '../../ui/page-state.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Time } from '../../ui/time.tsx';
import { Competitors } from './competitors.tsx';
import { analysisQuery, DEPTHS } from './market-query.ts';
import type { MarketAnalysis } from './market-query.ts';
import { MarketSize } from './market-size.tsx';
import css from './market.module.css';
import { Recommendations } from './recommendations.tsx';

const routeApi = getRouteApi('/shell/market/$analysisId');

/** One analysis, as it was answered. */
export const AnalysisDetail = () => {
  const { analysisId } = routeApi.useParams();
  const found = useQuery(analysisQuery(analysisId));
  if (found.data !== undefined) return <Loaded key={analysisId} found={found.data} />;
  return (
    <Page title="Market analysis">
      {found.isPending ? (
        <Skeleton lines={16} />
      ) : isStatus(found.error, 404) ? (
        <MissingAnalysis />
      ) : (
        <Failure error={found.error} onRetry={() => void found.refetch()} />
      )}
    </Page>
  );
};

const MissingAnalysis = () => (
  <EmptyState icon="market" title="There is no such analysis in this workspace">
    <p>
      An analysis is stored when it is complete. <Link to="/market">Choose one from the list</Link>.
    </p>
  </EmptyState>
);

const Loaded = ({ found }: { found: MarketAnalysis }) => {
  const { query, depth, createdAt, analysis, proofs } = found;
  return (
    <Page
      title={query}
      intro={
        <>
          {DEPTHS[depth].label} analysis, <Time at={createdAt} />
        </>
      }
      actions={<Actions />}
    >
      <div className={css.proofs}>
        <ProofBadges proofs={proofs} of="the analysis" />
        <span className="muted">
          {proofs.length > 1 && 'The first is that of this text. '}The certificate commits to every
          word of it.
        </span>
      </div>
      <Notice>
        <strong>What it rests on:</strong> a model’s memory. Nothing was looked up, so no confidence
        is above 50 %, and what the model could not support was left out. Check a figure before you
        decide on it.
      </Notice>
      <MarketSize size={analysis.marketSize} />
      <Texts title="Trends" texts={analysis.trends} none="The model named no trends." />
      <Competitors competitors={analysis.competitors} />
      <Recommendations recommendations={analysis.recommendations} />
      <Texts
        title="Assumptions"
        intro="What the model took for granted, then what was corrected or left out of its answer."
        texts={analysis.assumptions}
        none="The model stated none, and nothing had to be corrected."
      />
      {analysis.sources.length > 0 && <Texts title="Sources" texts={analysis.sources} none="" />}
    </Page>
  );
};

const Actions = () => {
  const canAsk = canUse(useSession(), ['market-analysis']);
  return (
    <div className={css.buttons} data-print="hidden">
      <Button icon="download" onPress={() => print()}>
        Print
      </Button>
      {canAsk && (
        <Link to="/market/new" className={buttonClass()}>
          <Icon name="plus" size={16} />
          New analysis
        </Link>
      )}
    </div>
  );
};

type TextsProps = { title: string; intro?: string; texts: readonly string[]; none: string };

const Texts = ({ title, intro, texts, none }: TextsProps) => (
  <Section title={title} {...(intro === undefined ? {} : { intro })}>
    {texts.length === 0 ? (
      <p className="muted">{none}</p>
    ) : (
      <ul className={css.texts}>
        {texts.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    )}
  </Section>
);
