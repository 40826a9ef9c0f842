"""The style of an exported page: quiet, readable, light or dark like the reader's system."""

CSS = """
:root{color-scheme:light dark;--page:#fbfaf8;--text:#23211e;--soft:#6f6a62;--line:#e4e0d9;
--card:#fff;--code:#f3f1ec;--user:#eef3fb;--user-line:#3c6fb8;--accent:#3c6fb8;--ok:#2f7d4f;
--error:#b3382f;--warn:#9a6a00;--add:#e3f3e6;--del:#fbe7e5;--mask:#fff0c2}
@media(prefers-color-scheme:dark){:root{--page:#191a1c;--text:#dcdad5;--soft:#98948c;
--line:#34353a;--card:#212226;--code:#26272b;--user:#1f2a3a;--user-line:#6fa1e6;--accent:#8ab4f0;
--ok:#6cc28d;--error:#ef8379;--warn:#e0b252;--add:#1d3526;--del:#402423;--mask:#4d3f12}}
*{box-sizing:border-box}
html{scroll-padding-top:1rem}
body{margin:0;background:var(--page);color:var(--text);overflow-wrap:anywhere;
font:16px/1.6 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif}
.page{display:grid;grid-template-columns:minmax(0,1fr);max-width:52rem;margin:0 auto;
padding:2.5rem 1.25rem 5rem}
header h1{font-size:clamp(1.3rem,4.5vw,1.75rem);line-height:1.25;margin:0 0 .75rem;
letter-spacing:-.01em}
.facts{display:flex;flex-wrap:wrap;gap:.25rem 1.5rem;margin:0;color:var(--soft);font-size:.875rem}
.facts div{display:flex;gap:.4rem}.facts dt::after{content:":"}
.facts dd{margin:0;color:var(--text)}
.side{margin-top:1.5rem;border:1px solid var(--line);border-radius:.6rem;background:var(--card);
padding:.75rem 1rem;font-size:.875rem}
.side summary{color:var(--soft)}
.side ol,.side ul{margin:.5rem 0 0;padding-left:1.6rem}
.side li{margin:.15rem 0}
.side ul{list-style:none;padding-left:.2rem}
a{color:var(--accent);text-decoration:none}a:hover{text-decoration:underline}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px;border-radius:.2rem}
.tool summary:focus-visible{outline-offset:-2px}
.skip{position:absolute;left:-99rem}.skip:focus{left:1rem;top:.5rem}
.turn{margin-top:2.25rem}
.message{position:relative;margin:1rem 0}
.who{display:flex;align-items:baseline;gap:.6rem;font-size:.8125rem;color:var(--soft);
margin-bottom:.2rem}
.who h2,.who h3{margin:0;color:var(--text);font-size:inherit;font-weight:600;line-height:inherit}
.who a{color:var(--soft);margin-left:auto;font-variant-numeric:tabular-nums}
.user{background:var(--user);border-left:3px solid var(--user-line);padding:.7rem 1rem .8rem;
border-radius:.25rem .6rem .6rem .25rem}
.typed{white-space:pre-wrap}
.said>:first-child{margin-top:0}.said>:last-child{margin-bottom:0}
p,ul,ol,blockquote,table,pre{margin:.6rem 0}
h4,h5,h6{margin:1.1rem 0 .4rem;font-size:1rem;line-height:1.35}h4{font-size:1.1rem}
hr{border:0;border-top:1px solid var(--line);margin:1.25rem 0}
blockquote{margin-left:0;padding-left:.9rem;border-left:3px solid var(--line);color:var(--soft)}
table{border-collapse:collapse;font-size:.9375rem;display:block;overflow-x:auto}
th,td{border:1px solid var(--line);padding:.3rem .6rem;text-align:left;vertical-align:top}
th{background:var(--code);font-weight:600}
code,pre,.tool b,.tool summary{font-family:ui-monospace,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono",
"Noto Sans Mono",monospace}
code{font-size:.875em;background:var(--code);border-radius:.25rem;padding:.1em .3em}
pre{background:var(--code);border-radius:.4rem;padding:.7rem .9rem;font-size:.8125rem;
line-height:1.5;overflow:auto;max-height:30rem;white-space:pre-wrap}
pre code{background:none;padding:0;font-size:inherit}
.url{color:var(--soft);font-size:.875em}
mark{background:var(--mask);color:inherit;border-radius:.2rem;padding:0 .2em}
summary{cursor:pointer}
.tools{border:1px solid var(--line);border-radius:.6rem;background:var(--card);margin:.7rem 0;
overflow:hidden}
.tool+.tool{border-top:1px solid var(--line)}
.tool summary{display:flex;gap:.55rem;align-items:baseline;padding:.4rem .8rem;font-size:.8125rem;
list-style:none}
.tool summary::-webkit-details-marker{display:none}
.tool summary:hover{background:var(--code)}
.tool summary::after{content:"›";margin-left:auto;color:var(--soft);font-size:1rem;line-height:1}
.tool[open]>summary::after{transform:rotate(90deg)}
.tool .about{color:var(--soft);white-space:nowrap;overflow:hidden;text-overflow:ellipsis;
min-width:0;flex:1}
.tool .inside{padding:.1rem .8rem .7rem;border-top:1px solid var(--line)}
.label{color:var(--soft);font-size:.75rem;margin:.6rem 0 -.3rem}
.ok{color:var(--ok)}.error{color:var(--error)}.interrupted,.open{color:var(--warn)}
.add{background:var(--add);display:block}.del{background:var(--del);display:block}
.reason{color:var(--soft);font-size:.875rem;margin:.75rem 0}
.reason .inside{border-left:2px solid var(--line);padding-left:.9rem;margin-top:.5rem}
.thought .about{font-style:italic;font-family:system-ui,"Segoe UI","Noto Sans",sans-serif}
.thought>summary>span:first-child{color:var(--soft)}
.thought .inside{color:var(--soft);font-size:.9375rem;padding-top:.5rem}
.compacted{border-top:2px dashed var(--warn);margin-top:2rem;padding-top:.8rem}
.compacted>strong{color:var(--warn);font-size:.875rem}
.note{color:var(--soft);font-size:.875rem}
.message img{display:block;margin:.5rem 0;max-width:100%;max-height:32rem;border-radius:.4rem;
border:1px solid var(--line)}
footer{margin-top:3rem;padding-top:1rem;border-top:1px solid var(--line);color:var(--soft);
font-size:.8125rem}
@media(min-width:82rem){.page{grid-template-columns:17rem minmax(0,52rem);column-gap:3rem;
max-width:74rem}.page>*{grid-column:2}.page>nav{grid-column:1;grid-row:1/span 99;position:sticky;
top:1.5rem;align-self:start;max-height:calc(100vh - 3rem);overflow:auto;margin-top:0}}
@media print{:root{--page:#fff}body{font-size:11pt}.page{display:block;max-width:none;padding:0}
.skip,nav,.who a,.tool summary::after{display:none}pre{max-height:none}
.user,.tools,.facts{break-inside:avoid}.who,h4,h5,h6{break-after:avoid}}
"""
