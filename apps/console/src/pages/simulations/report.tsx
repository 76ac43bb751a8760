import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { isStatus } from '../../api/api-error.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { EmptyState, Failure, Skeleton } from '../../ui/page-state.tsx';
import { Page } from '../../ui/page.tsx';
import { Day } from '../../ui/time.tsx';
import { describeTemplate } from '../../ui/template-reason.ts';
import { createFormatMoney } from './figure.ts';
import { HistoryCharts } from './history-charts.tsx';
import { ReportFigures } from './report-figures.tsx';
import { ScenarioComparison } from './scenario-comparison.tsx';
import { historyQuery, reportQuery, simulationQuery } from './simulations-query.ts';
import type { Simulation, SimulationReport, State } from './simulations-query.ts';
import css from './simulations.module.css';

const routeApi = getRouteApi('/shell/simulations/$simulationId/report');

/** The report of a simulation that is over, to read and to print. */
export const Report = () => {
  const { simulationId } = routeApi.useParams();
  const simulation = useQuery(simulationQuery(simulationId));
  const history = useQuery(historyQuery(simulationId));
  const report = useQuery(reportQuery(simulationId));
  const error = simulation.error ?? history.error ?? report.error;
  const actions = (
    <div className={css.buttons} data-print="hidden">
      <Link
        to="/simulations/$simulationId"
        params={{ simulationId }}
        className={buttonClass('secondary')}
      >
        Back to the simulation
      </Link>
      <Button kind="primary" icon="download" onPress={() => print()}>
        Print or save as PDF
      </Button>
    </div>
  );
  const title = simulation.data ? `Report: ${simulation.data.name}` : 'Report';
  return (
    <Page title={title} isNarrow actions={actions}>
      {error !== null ? (
        isStatus(error, 404) ? (
          <NoReport />
        ) : (
          <Failure error={error} onRetry={() => void report.refetch()} />
        )
      ) : simulation.data && history.data && report.data ? (
        <Content simulation={simulation.data} states={history.data} report={report.data} />
      ) : (
        <Skeleton lines={20} />
      )}
    </Page>
  );
};

const NoReport = () => (
  <EmptyState icon="simulations" title="There is no report yet">
    <p>It is written when the simulation is finished, or reaches its horizon.</p>
  </EmptyState>
);

type ContentProps = {
  simulation: Simulation;
  states: readonly State[];
  report: SimulationReport;
};

const Content = ({ simulation, states, report }: ContentProps) => {
  const { companyBase, currentTurn, turnUnit, scenarios, createdAt } = simulation;
  const formatMoney = createFormatMoney(companyBase);
  const { summary, keyDecisions, risks, recommendations, facts } = report;
  const { language } = facts as { language?: unknown };
  return (
    <article className={css.report} {...(typeof language === 'string' ? { lang: language } : {})}>
      <p className={css.byline} lang="en">
        {currentTurn} {turnUnit}s, {scenarios.length} scenario{scenarios.length === 1 ? '' : 's'},
        begun on <Day at={createdAt} />.{' '}
        {report.fromTemplate
          ? describeTemplate(report)
          : 'Written by a language model; every number was checked against the computed figures.'}
      </p>
      <p className={css.summary}>{summary}</p>
      <section className={css.part}>
        <h2 lang="en">How it went</h2>
        <HistoryCharts simulation={simulation} states={states} formatMoney={formatMoney} />
        <ScenarioComparison simulation={simulation} states={states} formatMoney={formatMoney} />
      </section>
      <Points title="Key decisions" points={keyDecisions} />
      <Points title="Risks" points={risks} />
      <Points title="Recommendations" points={recommendations} />
      <ReportFigures facts={facts} />
      <Sources proofs={report.proofs} />
    </article>
  );
};

const Points = ({ title, points }: { title: string; points: readonly string[] }) =>
  points.length === 0 ? null : (
    <section className={css.part}>
      <h2 lang="en">{title}</h2>
      <ul className={css.points}>
        {points.map((point) => (
          <li key={point}>{point}</li>
        ))}
      </ul>
    </section>
  );

const Sources = ({ proofs }: { proofs: readonly string[] }) =>
  proofs.length === 0 ? null : (
    <section className={css.part} lang="en">
      <h2>Certificates</h2>
      <p className="muted">Of the calls that wrote this text, or tried to.</p>
      <ul className={css.points}>
        {proofs.map((proofId) => (
          <li key={proofId}>
            <Link to="/calls/$proofId" params={{ proofId }}>
              <code>{proofId}</code>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
