import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { isStatus } from '../../api/api-error.ts';
import { canUse, useSession } from '../../app/session.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { EmptyState, Failure, Notice, Skeleton } from '../../ui/page-state.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Select } from '../../ui/select.tsx';
import { AdvancePanel } from './advance-panel.tsx';
import { CompanyStart } from './company-start.tsx';
import { Decisions } from './decisions.tsx';
import { Events } from './events.tsx';
import { createFormatMoney } from './figure.ts';
import { FinalizeAction } from './finalize-action.tsx';
import { ForecastPanel } from './forecast-panel.tsx';
import { HistoryCharts } from './history-charts.tsx';
import { ReplayPanel } from './replay-panel.tsx';
import { ScenarioCards } from './scenario-cards.tsx';
import { historyQuery, simulationQuery, STATES_MAX } from './simulations-query.ts';
import type { Scenario, Simulation, State } from './simulations-query.ts';
import css from './simulations.module.css';

const routeApi = getRouteApi('/shell/simulations/$simulationId');

/** One simulation: its scenarios, its history and what may come. */
export const SimulationDetail = () => {
  const { simulationId } = routeApi.useParams();
  const simulation = useQuery(simulationQuery(simulationId));
  const history = useQuery(historyQuery(simulationId));
  const error = simulation.error ?? history.error;
  if (error !== null) {
    const retry = (): void => void Promise.all([simulation.refetch(), history.refetch()]);
    return (
      <Page title="Simulation">
        {isStatus(error, 404) ? <Missing /> : <Failure error={error} onRetry={retry} />}
      </Page>
    );
  }
  if (simulation.data === undefined || history.data === undefined) {
    return (
      <Page title="Simulation">
        <Skeleton lines={16} />
      </Page>
    );
  }
  return <Loaded key={simulationId} simulation={simulation.data} states={history.data} />;
};

const Missing = () => (
  <EmptyState icon="simulations" title="There is no such simulation in this workspace">
    <p>
      Check the id, or <Link to="/simulations">choose one from the list</Link>.
    </p>
  </EmptyState>
);

type LoadedProps = { simulation: Simulation; states: readonly State[] };

const Loaded = ({ simulation, states }: LoadedProps) => {
  const session = useSession();
  const formatMoney = createFormatMoney(simulation.companyBase);
  const canChange = canUse(session, ['sim-engine']) && simulation.status === 'active';
  const common = { simulation, states, formatMoney };
  return (
    <Page
      title={simulation.name}
      intro={simulation.description ?? describe(simulation)}
      actions={<Actions simulation={simulation} canChange={canChange} />}
    >
      {states.length === STATES_MAX && (
        <Notice>
          This simulation has more than {STATES_MAX} states. Its charts show the newest ones.
        </Notice>
      )}
      {canChange && (
        <div data-print="hidden">
          <AdvancePanel simulation={simulation} />
        </div>
      )}
      <ScenarioCards {...common} canChange={canChange} />
      {states.length > 0 && (
        <Section title="History" intro="What the model computed for each scenario.">
          <HistoryCharts {...common} />
        </Section>
      )}
      <ScenarioParts {...common} />
      {states.length > 0 && <Events simulation={simulation} states={states} />}
      {states.length > 0 && (
        <div data-print="hidden">
          <ReplayPanel simulation={simulation} />
        </div>
      )}
      <CompanyStart simulation={simulation} formatMoney={formatMoney} />
    </Page>
  );
};

const describe = ({ turnUnit, currentTurn, status, horizonTurns }: Simulation): string =>
  `${currentTurn}${horizonTurns === null ? '' : ` of ${horizonTurns}`} ${turnUnit}s played. ` +
  (status === 'finalized' ? 'The simulation is over.' : 'The simulation is running.');

type ActionsProps = { simulation: Simulation; canChange: boolean };

const Actions = ({ simulation: { id, status, currentTurn }, canChange }: ActionsProps) => (
  <div className={css.buttons} data-print="hidden">
    {status === 'finalized' && (
      <Link
        to="/simulations/$simulationId/report"
        params={{ simulationId: id }}
        className={buttonClass('primary')}
      >
        <Icon name="calls" size={16} />
        Open the report
      </Link>
    )}
    {canChange && currentTurn > 0 && <FinalizeAction simulationId={id} />}
    <Button icon="download" onPress={() => print()}>
      Print
    </Button>
  </div>
);

type PartsProps = LoadedProps & { formatMoney: (amount: number) => string };

/** Forecast and decisions of one scenario, which the address chooses. */
const ScenarioParts = (props: PartsProps) => {
  const { scenarios } = props.simulation;
  const search = routeApi.useSearch();
  const navigate = routeApi.useNavigate();
  const scenario = findScenario(scenarios, search.scenario);
  if (scenario === undefined) return null;
  return (
    <>
      {scenarios.length > 1 && (
        <div className={css.choice} data-print="hidden">
          <Select
            label="Forecast and decisions of"
            options={scenarios.map(({ id, name }) => ({ value: id, label: name }))}
            value={scenario.id}
            onChange={(value) => {
              const change = (known: object) => ({ ...known, scenario: value });
              void navigate({ search: change, replace: true, resetScroll: false });
            }}
          />
        </div>
      )}
      <ForecastPanel {...props} scenario={scenario} />
      <Decisions {...props} scenario={scenario} />
    </>
  );
};

const findScenario = (scenarios: readonly Scenario[], id: string | undefined) =>
  scenarios.find((one) => one.id === id) ??
  scenarios.find(({ isActive }) => isActive) ??
  scenarios[0];
