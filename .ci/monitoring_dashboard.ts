// The dashboard against Grafana's published types: a dashboard and its panels by @grafana/schema, queries and units by
// grafana-foundation-sdk. The types say enums where JSON has their values. What a type does not know is an error, and so is
// what it needs and is not there. `dashboard` is written after this, with the file's content as its value.

import type { Dashboard, Panel, RowPanel, FieldConfig, FieldConfigSource, GraphFieldConfig, VariableModel } from '@grafana/schema';
import type { Options as TimeSeriesOptions } from '@grafana/schema/dist/esm/raw/composable/timeseries/panelcfg/x/TimeSeriesPanelCfg_types.gen';
import type { Options as StatOptions } from '@grafana/schema/dist/esm/raw/composable/stat/panelcfg/x/StatPanelCfg_types.gen';
import type {
    Options as StateTimelineOptions,
    FieldConfig as StateTimelineFieldConfig,
} from '@grafana/schema/dist/esm/raw/composable/statetimeline/panelcfg/x/StateTimelinePanelCfg_types.gen';
import type { Dataquery } from '@grafana/grafana-foundation-sdk/prometheus';
import type * as units from '@grafana/grafana-foundation-sdk/units';

/** Values in place of enums, all the way down. */
type Json<T> = unknown extends T
    ? T
    : T extends string
      ? `${T}`
      : T extends (infer Item)[]
        ? Json<Item>[]
        : T extends object
          ? { [Key in keyof T]: Json<T[Key]> }
          : T;

/** Some fields of a type, and others in place of the rest of them. */
type With<T, Fields> = Omit<T, keyof Fields> & Fields;

type DataSource = { type: 'prometheus'; uid: '${datasource}' };
type Unit = (typeof units)[keyof typeof units];
type Query = With<Omit<Json<Dataquery>, '_implementsDataqueryVariant'>, { datasource: DataSource; refId: string; legendFormat: string }>;

/** A panel of a plugin: it has all that a reader needs. */
type PanelOf<Type extends string, Options, Custom> = With<
    Json<Panel>,
    {
        type: Type;
        id: number;
        title: string;
        description: string;
        datasource: DataSource;
        gridPos: Json<NonNullable<Panel['gridPos']>>;
        targets: Query[];
        options: Json<Options>;
        fieldConfig: With<Json<FieldConfigSource>, { defaults: With<Json<FieldConfig>, { unit?: Unit; custom?: Json<Custom> }> }>;
    }
>;

type Panels =
    | PanelOf<'timeseries', TimeSeriesOptions, GraphFieldConfig>
    | PanelOf<'stat', StatOptions, Record<string, never>>
    | PanelOf<'state-timeline', StateTimelineOptions, StateTimelineFieldConfig>
    | Json<RowPanel>;

type Whole = With<
    Json<Dashboard>,
    { title: string; uid: string; refresh: '1m'; time: { from: 'now-24h'; to: 'now' }; panels: Panels[]; templating: { list: Json<VariableModel>[] } }
>;

