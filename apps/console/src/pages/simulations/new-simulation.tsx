import { useState } from 'react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { describeError } from '../../api/api-error.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { NumberField } from '../../ui/number-field.tsx';
import { Notice } from '../../ui/page-state.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Radio, RadioGroup } from '../../ui/radio-group.tsx';
import { Select } from '../../ui/select.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { MAIN_FIELDS, MORE_FIELDS, SECTORS, toCompanyBase } from './company-form.ts';
import type { CompanyDraft, CompanyFieldName } from './company-form.ts';
import { createSimulation, simulationsQuery } from './simulations-query.ts';
import type { NewSimulation as Draft } from './simulations-query.ts';
import css from './simulations.module.css';

const HORIZON_MAX = 1_000;

/** The form of a new simulation. */
export const NewSimulation = () => {
  const client = useQueryClient();
  const navigate = useNavigate();
  const creating = useMutation({
    mutationFn: createSimulation,
    onSuccess: async ({ id }) => {
      void client.invalidateQueries({ queryKey: simulationsQuery.queryKey });
      await navigate({ to: '/simulations/$simulationId', params: { simulationId: id } });
    },
  });
  return (
    <Page
      title="New simulation"
      isNarrow
      intro={
        'Give what you know. Everything else is assumed by the usual figures of the sector, ' +
        'and listed.'
      }
    >
      <Form
        isPending={creating.isPending}
        error={creating.isError ? describeError(creating.error) : undefined}
        onSubmit={creating.mutate}
      />
    </Page>
  );
};

type FormProps = {
  isPending: boolean;
  error: string | undefined;
  onSubmit: (draft: Draft) => void;
};

type GameDraft = {
  name: string;
  description: string;
  turnUnit: Draft['turnUnit'];
  horizonTurns: number | undefined;
  seed: number | undefined;
};

const FIRST_GAME: GameDraft = {
  name: '',
  description: '',
  turnUnit: 'quarter',
  horizonTurns: undefined,
  seed: undefined,
};
const FIRST_COMPANY: CompanyDraft = { sector: 'saas', currency: '', description: '', figures: {} };

const Form = ({ isPending, error, onSubmit }: FormProps) => {
  const [game, setGame] = useState(FIRST_GAME);
  const [company, setCompany] = useState(FIRST_COMPANY);
  const [isNameMissing, setNameMissing] = useState(false);
  const submit = (): void => {
    const name = game.name.trim();
    setNameMissing(name === '');
    if (name === '') return;
    onSubmit({
      name,
      description: game.description.trim() || null,
      turnUnit: game.turnUnit,
      horizonTurns: game.horizonTurns ?? null,
      ...(game.seed === undefined ? {} : { seed: game.seed }),
      companyBase: toCompanyBase(company),
    });
  };
  return (
    <form
      className={css.form}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <Section title="The simulation">
        <GameFields draft={game} isNameMissing={isNameMissing} onChange={setGame} />
      </Section>
      <Section title="The company" intro="As it stands at the start, in turn 0.">
        <CompanyFields draft={company} onChange={setCompany} />
      </Section>
      {error !== undefined && <Notice tone="bad">{error}</Notice>}
      <div className={css.buttons}>
        <Button kind="primary" type="submit" isPending={isPending}>
          Create the simulation
        </Button>
        <Link to="/simulations" className={buttonClass('quiet')}>
          Cancel
        </Link>
      </div>
    </form>
  );
};

type GameFieldsProps = {
  draft: GameDraft;
  isNameMissing: boolean;
  onChange: (draft: GameDraft) => void;
};

const GameFields = ({ draft, isNameMissing, onChange }: GameFieldsProps) => (
  <div className={css.fields}>
    <TextField
      label="Name"
      value={draft.name}
      onChange={(name) => onChange({ ...draft, name })}
      error={isNameMissing ? 'Give the simulation a name.' : undefined}
      hint="Such as “North, with a second site”"
    />
    <TextField
      label="Description"
      value={draft.description}
      onChange={(description) => onChange({ ...draft, description })}
      hint="Optional. The question that you want to answer"
    />
    <RadioGroup
      label="A turn is"
      value={draft.turnUnit}
      onChange={(unit) => onChange({ ...draft, turnUnit: unit as GameDraft['turnUnit'] })}
    >
      <Radio value="quarter">a quarter</Radio>
      <Radio value="year">a year</Radio>
    </RadioGroup>
    <NumberField
      label="Horizon"
      hint="In turns; the last one writes the report. Empty: until you finish it"
      minValue={1}
      maxValue={HORIZON_MAX}
      value={draft.horizonTurns}
      onChange={(horizonTurns) => onChange({ ...draft, horizonTurns })}
      format={{ maximumFractionDigits: 0 }}
    />
    <NumberField
      label="Seed"
      hint="Of all chance: the same seed and decisions give the same numbers. Empty: chosen"
      minValue={0}
      maxValue={Number.MAX_SAFE_INTEGER}
      value={draft.seed}
      onChange={(seed) => onChange({ ...draft, seed })}
      format={{ maximumFractionDigits: 0, useGrouping: false }}
    />
  </div>
);

type CompanyFieldsProps = { draft: CompanyDraft; onChange: (draft: CompanyDraft) => void };

const CompanyFields = ({ draft, onChange }: CompanyFieldsProps) => {
  const figure = (field: (typeof MAIN_FIELDS | typeof MORE_FIELDS)[number]) => (
    <NumberField
      key={field.name}
      label={field.label}
      hint={field.hint}
      {...('min' in field ? { minValue: field.min } : {})}
      {...('max' in field ? { maxValue: field.max } : {})}
      value={draft.figures[field.name]}
      onChange={(value) => onChange({ ...draft, figures: withFigure(draft, field.name, value) })}
    />
  );
  return (
    <>
      <div className={css.fields}>
        <Select
          label="Sector"
          options={SECTORS}
          value={draft.sector}
          onChange={(sector) => onChange({ ...draft, sector })}
        />
        <TextField
          label="Currency"
          value={draft.currency}
          onChange={(currency) => onChange({ ...draft, currency })}
          hint="An ISO code, such as EUR or USD, or a sign"
        />
        {MAIN_FIELDS.map(figure)}
      </div>
      <TextField
        label="What it does"
        isMultiline
        value={draft.description}
        onChange={(description) => onChange({ ...draft, description })}
        hint="Optional. Shown to the agents that decide"
      />
      <details className={css.more}>
        <summary>More figures</summary>
        <div className={css.fields}>{MORE_FIELDS.map(figure)}</div>
      </details>
    </>
  );
};

const withFigure = (
  { figures }: CompanyDraft,
  name: CompanyFieldName,
  value: number | undefined,
): CompanyDraft['figures'] => {
  const { [name]: _replaced, ...others } = figures;
  return value === undefined ? others : { ...others, [name]: value };
};
