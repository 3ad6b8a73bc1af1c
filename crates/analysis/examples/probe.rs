use analysis::*;
use classpath::*;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let t = std::time::Instant::now();
    let jdk = Jdk::find(None).unwrap();
    let mut cp = ClassPath::of_jdk(&jdk).unwrap();
    if let Ok(extra) = std::env::var("CP") { cp.append(ClassPath::parse(&extra, jdk.feature).unwrap()); }
    let store = ByteStore::new();
    let mut a = Analyzer::new(&cp, &store);
    if let Some(package) = args[1].strip_suffix(".*") {
        let mut all = vec![];
        for name in cp.classes_in(package).unwrap() {
            let t = std::time::Instant::now();
            let r = a.analyze(name);
            all.push((t.elapsed(), name.clone(), r.map(|f| (f.methods.len(), f.reached, f.notes.len(), f.locations.len(), f.work)).map_err(|e| e.to_string())));
        }
        all.sort(); all.reverse();
        for x in all.iter().take(25) { println!("{x:?}"); }
        println!("{} classes {:?}", all.len(), t.elapsed());
        return;
    }
    let name = ClassName::parse(&args[1]).unwrap();
    let facts = match a.analyze(&name) { Ok(f) => f, Err(e) => { println!("{e}"); return; } };
    let t1 = t.elapsed();
    let pairs = facts.pairs();
    let t2 = t.elapsed();
    println!("{} methods {} reached {} pairs {} pc {} d {} in {:?} / {:?} locations {} locks {}", facts.class, facts.methods.len(), facts.reached, pairs.len(),
        pairs.iter().filter(|p| p.is_pc()).count(), pairs.iter().filter(|p| p.double_lock).count(), t1, t2, facts.locations.len(), facts.locks.len()); println!("work {} {:?}", facts.work, facts.notes);
    for m in &facts.methods {
        let want = args.get(2).is_none_or(|w| m.name == *w);
        if !want { continue; }
        println!("{} [{}] accesses {} opaque {}", m.signature(), m.declared_in, m.accesses.len(), m.opaque.len());
        if args.len() > 2 {
            for x in &m.accesses { println!("   {:?}{} {} {:?} at {}.{}:{:?}", x.kind, if x.ordered {"*"} else {""}, facts.locations[x.location].path, x.held.iter().map(|h| format!("{}{}", facts.locks[h.lock].path, if h.from_start {""} else {"~"})).collect::<Vec<_>>(), x.site.class, x.site.method, x.site.line); }
            println!("   opaque {:?}", m.opaque.iter().map(|o| format!("{}:{}", o.call, o.reason)).collect::<Vec<_>>());
        }
        println!("   LS {:?} DS {:?} pub {:?} sig {}", m.lock_summary.iter().map(|&l| &facts.locks[l].path).collect::<Vec<_>>(), m.double_locks.iter().map(|d| format!("<{},{}>", facts.locks[d.outer].path, facts.locks[d.inner].path)).collect::<Vec<_>>(), m.publishes, m.signals.len());
    }
}
