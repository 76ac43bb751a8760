import { useQuery } from '@tanstack/react-query';
import { canUse, useSession } from '../../app/session.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { ComboBox } from '../../ui/combo-box.tsx';
import { NumberField } from '../../ui/number-field.tsx';
import { Section } from '../../ui/page.tsx';
import { Select } from '../../ui/select.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { FLAGS, hasFlag, setFlag } from './call-request.ts';
import type { CallRequest } from './call-request.ts';
import { DIALECT_NAMES, dialectOf } from './dialects.ts';
import type { DialectName } from './dialects.ts';
import css from './playground.module.css';
import { addressesQuery } from './playground-query.ts';
import type { Call } from './use-call.ts';

type RequestFormProps = {
  dialect: DialectName;
  request: CallRequest;
  call: Call;
  onDialect: (dialect: DialectName) => void;
  onChange: (change: Partial<CallRequest>) => void;
};

/** The parts of a call, and the button that makes it. */
export const RequestForm = ({ dialect, request, call, onDialect, onChange }: RequestFormProps) => {
  const isComplete = request.model.trim() !== '' && request.user.trim() !== '';
  const send = (): void => {
    if (isComplete && !call.isPending) call.send({ dialect, request });
  };
  return (
    <form
      className={css.form}
      aria-label="Call"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) send();
      }}
    >
      <Section title="Request">
        <Address model={request.model} onChange={(model) => onChange({ model })} />
        <Select
          label="Dialect"
          options={DIALECT_NAMES.map((value) => ({ value, label: dialectOf(value).label }))}
          value={dialect}
          onChange={onDialect}
        />
        <TextField
          label="System"
          isMultiline
          value={request.system}
          onChange={(system) => onChange({ system })}
          placeholder="Instructions, if any"
        />
        <TextField
          label="User"
          isMultiline
          value={request.user}
          onChange={(user) => onChange({ user })}
          placeholder="What you ask"
        />
        <div className={css.numbers}>
          <NumberField
            label="Output tokens, at most"
            minValue={1}
            value={request.maxTokens}
            onChange={(maxTokens) => onChange({ maxTokens })}
          />
          <NumberField
            label="Temperature"
            minValue={0}
            maxValue={2}
            format={{ maximumFractionDigits: 2 }}
            value={request.temperature}
            onChange={(temperature) => onChange({ temperature })}
          />
        </div>
        <Checkbox
          isSelected={request.isStreamed}
          onChange={(isStreamed) => onChange({ isStreamed })}
        >
          Stream the answer
        </Checkbox>
        <SendButton call={call} isComplete={isComplete} />
      </Section>
    </form>
  );
};

const SendButton = ({ call, isComplete }: { call: Call; isComplete: boolean }) => (
  <div className={css.send}>
    {call.isPending ? (
      <Button icon="close" onPress={call.stop}>
        Stop
      </Button>
    ) : (
      <Button kind="primary" type="submit" icon="playground" isDisabled={!isComplete}>
        Send
      </Button>
    )}
    <span className="muted">or Ctrl + Enter</span>
  </div>
);

type AddressProps = { model: string; onChange: (model: string) => void };

const Address = ({ model, onChange }: AddressProps) => {
  const session = useSession();
  const { data: addresses = [] } = useQuery(addressesQuery);
  const flags = FLAGS.filter(({ scopes }) => canUse(session, scopes));
  return (
    <>
      <ComboBox
        label="Address"
        hint="The member “model”: a model, service-auto, agent:<name> or an alias."
        options={addresses}
        value={model}
        onChange={onChange}
      />
      <div className={css.flags}>
        {flags.map(({ name, label }) => (
          <Checkbox
            key={name}
            isSelected={hasFlag(model, name)}
            onChange={(isSet) => onChange(setFlag(model, name, isSet))}
          >
            {label}
          </Checkbox>
        ))}
      </div>
    </>
  );
};
