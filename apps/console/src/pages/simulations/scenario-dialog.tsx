import { useState } from 'react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { describeError } from '../../api/api-error.ts';
import { DialogForm } from '../../ui/dialog-form.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { NumberField } from '../../ui/number-field.tsx';
import { Select } from '../../ui/select.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { toParameterDraft, toParameters, WORLD_FIELDS } from './parameters.ts';
import type { ParameterDraft, WorldField } from './parameters.ts';
import { addScenario, changeScenario, refreshSimulation } from './simulations-query.ts';
import type { Scenario, ScenarioDraft, Simulation } from './simulations-query.ts';
import css from './simulations.module.css';

type ScenarioDialogProps = {
  simulation: Simulation;
  /** The scenario that is changed; without one, another is added. */
  scenario?: Scenario | undefined;
  onClose: () => void;
};

/** Adds a scenario or changes one. */
export const ScenarioDialog = ({ simulation, scenario, onClose }: ScenarioDialogProps) => {
  const client = useQueryClient();
  const saving = useMutation({
    mutationFn: async (draft: ScenarioDraft) => {
      if (scenario === undefined) await addScenario(simulation.id, draft);
      else await changeScenario(scenario, draft);
    },
    onSuccess: async () => {
      await refreshSimulation(client, simulation.id);
      onClose();
    },
  });
  return (
    <Dialog title={scenario ? 'Change the scenario' : 'Add a scenario'} isOpen onClose={onClose}>
      <ScenarioForm
        simulation={simulation}
        scenario={scenario}
        isPending={saving.isPending}
        error={saving.error}
        onSubmit={saving.mutate}
        onClose={onClose}
      />
    </Dialog>
  );
};

type ScenarioFormProps = ScenarioDialogProps & {
  isPending: boolean;
  error: Error | null;
  onSubmit: (draft: ScenarioDraft) => void;
};

const ScenarioForm = (props: ScenarioFormProps) => {
  const { simulation, scenario, isPending, onSubmit, onClose } = props;
  const [name, setName] = useState(scenario?.name ?? '');
  const [description, setDescription] = useState(scenario?.description ?? '');
  const [parameters, setParameters] = useState(toParameterDraft(scenario?.parameters ?? {}));
  const [from, setFrom] = useState(simulation.scenarios[0]?.id ?? '');
  const [problem, setProblem] = useState<string>();
  const canFork = scenario === undefined && simulation.currentTurn > 0 && from !== '';
  const submit = (): void => {
    try {
      if (name.trim() === '') throw new Error('Give the scenario a name.');
      setProblem(undefined);
      onSubmit({
        name: name.trim(),
        description: description.trim() || null,
        parameters: toParameters(parameters),
        ...(canFork ? { fromScenarioId: from } : {}),
      });
    } catch (error) {
      setProblem(describeError(error));
    }
  };
  return (
    <DialogForm
      action={scenario ? 'Save the scenario' : 'Add the scenario'}
      isPending={isPending}
      problem={problem ?? props.error}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        label="Name"
        autoFocus
        value={name}
        onChange={setName}
        hint="Such as “Recession”"
      />
      <TextField label="Description" value={description} onChange={setDescription} />
      {canFork && (
        <Select
          label="Begins from the last state of"
          options={simulation.scenarios.map(({ id, name: label }) => ({ value: id, label }))}
          value={from}
          onChange={setFrom}
        />
      )}
      <WorldFields draft={parameters} onChange={setParameters} />
    </DialogForm>
  );
};

type WorldFieldsProps = { draft: ParameterDraft; onChange: (draft: ParameterDraft) => void };

const WorldFields = ({ draft, onChange }: WorldFieldsProps) => {
  const change = (name: WorldField, value: number | undefined): void => {
    const { [name]: _replaced, ...others } = draft.values;
    onChange({ ...draft, values: value === undefined ? others : { ...others, [name]: value } });
  };
  return (
    <fieldset className={css.dialogForm}>
      <legend className={css.legend}>The world, from the next turn on</legend>
      <p className="muted">Empty: as the model of the economy has it.</p>
      <div className={css.smallFields}>
        {WORLD_FIELDS.map(({ name, label, unit }) => (
          <NumberField
            key={name}
            label={label}
            hint={unit}
            value={draft.values[name]}
            onChange={(value) => change(name, value)}
          />
        ))}
      </div>
      <TextField
        label="Further parameters"
        isMultiline
        value={draft.json}
        onChange={(json) => onChange({ ...draft, json })}
        hint={
          'JSON. A path by turns, or a change for some turns: ' +
          '{"interestRate": {"value": 1.5, "mode": "add", "fromTurn": 2}}'
        }
      />
    </fieldset>
  );
};
