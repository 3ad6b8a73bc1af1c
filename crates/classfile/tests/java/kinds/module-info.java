/** A module that declares one of everything. */
@Deprecated
open module kinds {
    requires transitive java.logging;
    requires static java.xml;
    exports p;
    exports p.q to java.logging, java.xml;
    uses Runnable;
    provides Runnable with p.Kinds.Task;
}
