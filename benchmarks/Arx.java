import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.deidentifier.arx.ARXAnonymizer;
import org.deidentifier.arx.ARXConfiguration;
import org.deidentifier.arx.ARXResult;
import org.deidentifier.arx.AttributeType.Hierarchy;
import org.deidentifier.arx.Data;
import org.deidentifier.arx.criteria.KAnonymity;
import org.deidentifier.arx.metric.Metric;
import org.deidentifier.arx.metric.Metric.AggregateFunction;

/** ARX's optimal search, several times: CPU seconds and loss, a line each. */
class Arx {
    /** TABLE.csv FOLDER-OF-HIERARCHIES COLUMN,COLUMN,... SUPPRESSION K ROUNDS */
    public static void main(String[] given) throws Exception {
        var machine = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        for (int round = 0; round < Integer.parseInt(given[5]); round++) {
            Data data = Data.create(given[0], StandardCharsets.UTF_8, ';');
            for (String name : given[2].split(",")) {
                Path file = Path.of(given[1], "adult_hierarchy_" + name + ".csv");
                String[][] rows = Files.readAllLines(file).stream()
                    .map(line -> line.split(";")).toArray(String[][]::new);
                data.getDefinition().setAttributeType(name, Hierarchy.create(rows));
            }
            ARXConfiguration asked = ARXConfiguration.create(Double.parseDouble(given[3]));
            asked.addPrivacyModel(new KAnonymity(Integer.parseInt(given[4])));
            asked.setQualityModel(Metric.createLossMetric(AggregateFunction.ARITHMETIC_MEAN));
            long before = machine.getProcessCpuTime();
            ARXResult result = new ARXAnonymizer().anonymize(data, asked);
            double seconds = (machine.getProcessCpuTime() - before) / 1e9;
            System.out.println(seconds + " " + result.getGlobalOptimum().getHighestScore());
        }
    }
}
