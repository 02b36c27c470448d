var e=e=>/[",\r\n]/.test(e)?`"${e.replaceAll(`"`,`""`)}"`:e,t=t=>t.map(t=>t.map(t=>e(t===null?``:String(t))).join(`,`)).join(`
`)+`
`;export{t};