import type { ReactNode } from 'react';
import { Checkbox as AriaCheckbox } from 'react-aria-components/Checkbox';
import { CheckboxGroup as AriaCheckboxGroup } from 'react-aria-components/CheckboxGroup';
import { Label } from 'react-aria-components/Label';
import css from './field.module.css';
import { Icon } from './icon.tsx';

type CheckboxProps = {
  children: ReactNode;
  value?: string;
  isSelected?: boolean;
  isDisabled?: boolean;
  onChange?: (isSelected: boolean) => void;
};

export const Checkbox = ({ children, ...props }: CheckboxProps) => (
  <AriaCheckbox {...props} className={css.box}>
    <span className={css.mark} aria-hidden="true">
      <Icon name="check" size={12} />
    </span>
    <span>{children}</span>
  </AriaCheckbox>
);

type CheckboxGroupProps = {
  label: string;
  value: readonly string[];
  onChange: (value: string[]) => void;
  isDisabled?: boolean;
  /** True if the texts of the boxes are long. */
  isSingleColumn?: boolean;
  children: ReactNode;
};

export const CheckboxGroup = (props: CheckboxGroupProps) => {
  const { label, value, isSingleColumn = false, children, ...rest } = props;
  return (
    <AriaCheckboxGroup {...rest} value={[...value]} className={css.field}>
      <Label className={css.label}>{label}</Label>
      <div className={`${css.boxes} ${isSingleColumn ? css.single : ''}`}>{children}</div>
    </AriaCheckboxGroup>
  );
};
